"""Where upstream data comes from, what it must hash to, and where it lies on this machine.

catalogue    what is known upstream: repository, commit, licence, files and their sums
packs        what is installed here, what it was made from, and whether it is still that
install      install a pack from a local folder, and the last step of all installing
pull         install a pack from its own home on the network
"""
