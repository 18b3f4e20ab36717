"""JuDGE: write the whole judgment from the facts."""
