"""A local page on which an expert scores responses blind, item by item.

answers    what one rater has said so far, and how it becomes marks
notebook   the append-only file that keeps it, and the score table made from it
server     serves the page on this machine only
page.*     the page itself, in Chinese and English; words.js has what it says
"""
