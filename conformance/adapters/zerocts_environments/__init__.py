"""How environments of frameworks are made, and the user's own ones examined, for environment.py; only the standard
library is needed.
"""
