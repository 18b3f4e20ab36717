"""People who score, and how far graders agree with them.

score_table           one table for people and graders: who gave which item how many points
notebook              what an expert says, kept change by change, and the table made from it
expert_page           a page in the browser on which an expert scores blind; `page` has its files
label_studio          the same work in Label Studio: tasks out, annotations in
calibration           graders against people, people and graders among themselves
calibration_figures   how far two raters agree, with intervals
"""
