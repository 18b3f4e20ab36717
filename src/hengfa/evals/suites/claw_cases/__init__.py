"""CLaw's third task: reasons for the result of a guiding case, graded."""
