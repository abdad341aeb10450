#!/usr/bin/env python3
"""stub"""
import sys, pathlib
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
