"""The benchmark's own world, as far as published runs of agents show it.

logs         what runs show of it: calls, and answers as Python prints them
recovery     the pack of that world, derived from them
recovered    the world, made from that pack
"""
