"""Writes .npy files without NumPy, for tests: single precision, C order."""
import array


def write(name, rows, columns, values):
    """`values`: any iterable of rows x columns numbers."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {columns}), }}".encode()
    with open(name, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + (118).to_bytes(2, "little") + header.ljust(117) + b"\n")
        array.array("f", values).tofile(file)
