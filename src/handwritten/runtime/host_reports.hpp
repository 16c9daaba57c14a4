// Reports of the host runtime for Python, and the caller's line for them.
//
// No Python code runs here: it would take the interrupt that waits for the main thread, and lose it.
#pragma once

#include <Python.h>

#include <cstddef>

namespace pygpu {

// Appends a report to the list that collects; the host runtime calls it.
void collect_report(const char *text);

// Sets the list, or null for none, and takes it over. Returns the former, and hands it over.
PyObject *exchange_collected_reports(PyObject *list);

// Writes the file, line and function of the innermost frame outside the package; the host runtime calls it.
void write_line_of_caller(char *text, std::size_t size);

} // namespace pygpu
