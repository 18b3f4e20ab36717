"""People who score, and how far graders agree with them.

score_table    one table for people and graders: who gave which item how many points
expert_page    a page in the browser on which an expert scores blind
label_studio   the same work in Label Studio: tasks out, annotations in
calibration    graders against people, with intervals
"""
