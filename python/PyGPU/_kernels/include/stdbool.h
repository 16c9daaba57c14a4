// C's stdbool.h for device code: C++ has bool, true and false of its own.
#pragma once
