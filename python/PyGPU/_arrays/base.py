"""The compiled part of arrays, under names that type checkers know (base.pyi)."""

from __future__ import annotations

from PyGPU._core import arrays

Array = arrays.Array
GraphBase = arrays.GraphBase
empty = arrays.empty
to_gpu = arrays.to_gpu
host_ready = arrays._host_ready
set_class = arrays._set_class
from_dlpack = arrays.from_dlpack
shared = arrays._shared
host_array = arrays._host_array
placed = arrays._placed
join = arrays._join
queue_call = arrays._queue_call
finish_calls = arrays._finish_calls
own_captured = arrays._own_captured
take_owned = arrays._take_owned
keep_by_graph = arrays._keep_by_graph
exchange_table = arrays._exchange_table
plain_memory = arrays._plain_memory
lent_memory = arrays._lent_memory
check_no_mask = arrays._check_no_mask
is_readonly = arrays._is_readonly
order_export = arrays._order_export
order_import = arrays._order_import
