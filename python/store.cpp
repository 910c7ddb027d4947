#include "store.hpp"

#include <ivp/ivp.h>

#include <cstdint>

namespace ivp::python {

PyObject* store_add(PyObject* /*module*/, PyObject* arguments)
{
    const char* db = nullptr;
    const char* records = nullptr;
    if (PyArg_ParseTuple(arguments, "ss", &db, &records) == 0) return nullptr;
    const std::int64_t added = without_lock(true, [&] { return ivp_store_add(db, records); });
    return added < 0 ? raise_last() : PyLong_FromLongLong(added);
}
PyObject* store_records(PyObject* /*module*/, PyObject* arguments)
{
    const char* db = nullptr;
    if (PyArg_ParseTuple(arguments, "s", &db) == 0) return nullptr;
    return text_or_raise(without_lock(true, [&] { return ivp_store_records(db); }));
}
PyObject* store_query(PyObject* /*module*/, PyObject* arguments)
{
    const char* db = nullptr;
    const char* sql = nullptr;
    if (PyArg_ParseTuple(arguments, "ss", &db, &sql) == 0) return nullptr;
    return text_or_raise(without_lock(true, [&] { return ivp_store_query(db, sql); }));
}

} // namespace ivp::python
