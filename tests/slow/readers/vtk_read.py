"""Reads VTU files and a PVD with VTK's own readers and prints what it found as JSON.

    python3 vtk_read.py FILE.vtu …
"""
import json
import sys

import vtk
from vtk.util.numpy_support import vtk_to_numpy


def arrays(data):
    return {data.GetArrayName(k): vtk_to_numpy(data.GetArray(k)).ravel().tolist() for k in range(data.GetNumberOfArrays())}


results = []
for path in sys.argv[1:]:
    failures = []
    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.AddObserver("ErrorEvent", lambda *_: failures.append("error"))
    reader.SetFileName(path)
    assert reader.CanReadFile(path), path
    reader.Update()
    grid = reader.GetOutput()
    cells = [[grid.GetCell(c).GetPointId(k) for k in range(3)] for c in range(grid.GetNumberOfCells())]
    results.append(
        {
            "failures": failures,
            "points": vtk_to_numpy(grid.GetPoints().GetData()).ravel().tolist(),
            "types": sorted({grid.GetCellType(c) for c in range(grid.GetNumberOfCells())}),
            "cells": cells,
            "pointData": arrays(grid.GetPointData()),
            "cellData": arrays(grid.GetCellData()),
            "time": arrays(grid.GetFieldData()).get("TimeValue"),
        }
    )
json.dump(results, sys.stdout)
