"""Writes test/fixtures/memorySnapshots/pickles.json and xz.json: what Python's own pickle and lzma make of plain values.

    python3 test/ground-truth/pickles.py

Needs nothing but Python (made with 3.11). Run it again when a Python writes a new protocol.
"""
import base64, collections, decimal, fractions, json, lzma, os, pickle, platform, random

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fixtures", "memorySnapshots")
text = lambda data: base64.b64encode(data).decode()

frames = [{"name": "forward", "filename": "/home/user/model.py", "line": 12}, {"name": "main", "filename": "/home/user/train.py", "line": 40}]
shared = [frames[0], frames[1]]
def entry(action, addr, size, time, frames=shared):
    return {"action": action, "addr": addr, "size": size, "stream": 0, "time_us": time, "frames": frames}

snapshot = {
    "segments": [{"device": 0, "address": 2**46, "total_size": 2 * 2**20, "allocated_size": 1024, "active_size": 1024, "requested_size": 1000,
                  "stream": 0, "segment_type": "small", "segment_pool_id": (0, 0), "is_expandable": False, "frames": shared,
                  "blocks": [{"address": 2**46, "size": 1024, "requested_size": 1000, "state": "active_allocated", "frames": shared},
                             {"address": 2**46 + 1024, "size": 2 * 2**20 - 1024, "requested_size": 0, "state": "inactive", "frames": []}]}],
    "device_traces": [[entry("segment_alloc", 2**46, 2 * 2**20, 10), entry("alloc", 2**46, 1000, 11), entry("alloc", 2**46 + 1024, 4, 12),
                       entry("free_requested", 2**46 + 1024, 4, 13, []), entry("free_completed", 2**46 + 1024, 4, 14, [])], []],
    "allocator_settings": {"max_split_size": -1, "garbage_collection_threshold": 0.5, "expandable_segments": False, "roundup_power2_divisions": {"1": 0}},
    "external_annotations": [],
}
deep = []
for _ in range(300): deep = [deep]
values = {
    "integers": [0, 1, -1, 255, 256, 65535, 65536, -2**31, 2**31, 2**46 + 512, -2**46, 2**53],
    "floats": [0.0, -0.0, 1.5, -2.5e300, 5e-324],
    "texts": ["", "plain", "caf\u00e9", "\u4f60\u597d", "\U0001f600", "line\nbreak \\ quote ' \" \\u0041", "x" * 300],
    "singles": [None, True, False],
    "tuples": [(), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)],
    "nested": {"a": {"b": [1, {"c": None}]}, "empty": {}, "list": []},
    "many": list(range(2500)),
    "shared": [frames[0]] * 3,
}
cases = [{"name": f"{name}, protocol {protocol}", "pickle": text(pickle.dumps(value, protocol)), "value": value}
         for name, value in values.items() for protocol in (0, 1, 2, 3, 4, 5)]
snapshots = [{"protocol": protocol, "pickle": text(pickle.dumps(snapshot, protocol))} for protocol in range(6)]
snapshots.append({"protocol": 4, "pickle": text(pickle.Pickler and pickle.dumps(snapshot, 4) + b"\x00\x00")})

class Refused:
    def __reduce__(self): return (os.system, ("true",))
class Persistent(pickle.Pickler):
    def persistent_id(self, value): return "key" if value == "outside" else None
import io
def persistent(protocol):
    out = io.BytesIO(); Persistent(out, protocol).dump({"segments": ["outside"]}); return out.getvalue()
import copyreg
copyreg.add_extension("collections", "OrderedDict", 0x1234)
extension = pickle.dumps({"segments": [collections.OrderedDict]}, 2)
refused = [
    {"what": "a function that would be called", "named": "posix.system", "pickle": text(pickle.dumps({"segments": [Refused()]}, 4))},
    {"what": "a function, old protocol", "named": "posix.system", "pickle": text(pickle.dumps({"segments": [Refused()]}, 0))},
    {"what": "a class of the standard library", "named": "fractions.Fraction", "pickle": text(pickle.dumps({"segments": [fractions.Fraction(1, 2)]}, 4))},
    {"what": "a class, protocol 2", "named": "decimal.Decimal", "pickle": text(pickle.dumps({"segments": [decimal.Decimal(1)]}, 2))},
    {"what": "an instance of protocol 0", "named": "os.system", "pickle": text(b"(S'true'\nios\nsystem\n.")},
    {"what": "an object from the stack", "named": "OBJ", "pickle": text(b"(I1\no.")},
    {"what": "a call", "named": "REDUCE", "pickle": text(b"}I1\n)R.")},
    {"what": "a state", "named": "BUILD", "pickle": text(b"}}b.")},
    {"what": "a new object", "named": "NEWOBJ", "pickle": text(b"\x80\x02I1\n)\x81.")},
    {"what": "an extension", "named": "EXT2", "pickle": text(extension)},
    {"what": "something outside of the file", "named": "BINPERSID", "pickle": text(persistent(4))},
    {"what": "something outside of the file, old protocol", "named": "PERSID", "pickle": text(persistent(0))},
    {"what": "a buffer outside of the file", "named": "NEXT_BUFFER", "pickle": text(b"\x80\x05\x97.")},
]
about = f"made by test/ground-truth/pickles.py with Python {platform.python_version()}"
json.dump({"about": about, "values": cases, "snapshots": snapshots, "refused": refused}, open(f"{HERE}/pickles.json", "w"))

random.seed(1)
noise = bytes(random.randrange(256) for _ in range(3000))
data = b"".join(b"%d: %s\n" % (i % 97, noise[i % 50 : i % 50 + 7]) for i in range(4000)) + noise
packed = [{"name": name, "xz": text(value)} for name, value in {
    "CRC-64, as xz does": lzma.compress(data),
    "CRC-32": lzma.compress(data, check=lzma.CHECK_CRC32),
    "SHA-256": lzma.compress(data, check=lzma.CHECK_SHA256),
    "no check": lzma.compress(data, check=lzma.CHECK_NONE),
    "fastest": lzma.compress(data, preset=0),
    "smallest": lzma.compress(data, preset=9 | lzma.PRESET_EXTREME),
    "other literal and position bits": lzma.compress(data, filters=[{"id": lzma.FILTER_LZMA2, "lc": 1, "lp": 3, "pb": 0, "dict_size": 4096}]),
    "two streams with padding": lzma.compress(data[:1000]) + b"\0" * 8 + lzma.compress(data[1000:]),
}.items()]
import hashlib
json.dump({"about": about, "length": len(data), "sha256": hashlib.sha256(data).hexdigest(), "start": text(data[:40]),
           "files": packed, "empty": text(lzma.compress(b"")),
           "delta": text(lzma.compress(data[:1000], filters=[{"id": lzma.FILTER_DELTA, "dist": 4}, {"id": lzma.FILTER_LZMA2, "preset": 6}]))}, open(f"{HERE}/xz.json", "w"))
