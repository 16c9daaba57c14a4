"""The portable names in the raising form."""

from PyGPU.cuda.checked import *
