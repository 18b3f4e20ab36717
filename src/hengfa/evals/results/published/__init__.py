"""What the papers print: tables of it, and whether it adds up."""
