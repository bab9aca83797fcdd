"""Runs inside Blender: reads a file as an artist would and prints what Blender then holds.

    blender --background --factory-startup --python blender_read.py -- JOBS.json RESULT.json

A job is {"format", "file", "frames": [...]} or, for caches, {"format": "pc2", "mesh": OBJ, "file", ...}.
The result has, per job and object, world positions at each frame, polygons and uv per corner.
"""
import json
import sys

import numpy

if not hasattr(numpy, "bool"):
    numpy.bool = bool  # Debian's numpy is newer than this Blender's glTF importer expects

import bpy


def clear():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    # 24 frames a second, as our recordings say
    bpy.context.scene.render.fps = 24


def load_obj(path):
    # as the menu does it: y up
    if hasattr(bpy.ops.wm, "obj_import"):
        bpy.ops.wm.obj_import(filepath=path)
    else:
        bpy.ops.import_scene.obj(filepath=path, split_mode="OFF")


def load(job):
    kind, path = job["format"], job["file"]
    if kind == "obj":
        load_obj(path)
    elif kind == "ply":
        bpy.ops.import_mesh.ply(filepath=path)
    elif kind == "stl":
        bpy.ops.import_mesh.stl(filepath=path)
    elif kind == "glb":
        bpy.ops.import_scene.gltf(filepath=path)
    elif kind in ("pc2", "mdd"):
        load_obj(job["mesh"])
        mesh = next(o for o in bpy.data.objects if o.type == "MESH")
        cache = mesh.modifiers.new("cache", "MESH_CACHE")
        cache.cache_format = kind.upper()
        cache.filepath = path
        cache.factor = 1.0
        cache.interpolation = "NONE"
        # sample 0 is shown at frame_start
        cache.frame_start = job.get("frameStart", 1)
    else:
        raise ValueError(kind)


def snapshot(job):
    result = {}
    for frame in job["frames"]:
        bpy.context.scene.frame_set(int(frame), subframe=frame - int(frame))
        graph = bpy.context.evaluated_depsgraph_get()
        for item in [o for o in bpy.data.objects if o.type == "MESH"]:
            shown = item.evaluated_get(graph)
            mesh = shown.to_mesh()
            matrix = shown.matrix_world
            entry = result.setdefault(item.name, {"frames": []})
            entry["frames"].append([c for v in mesh.vertices for c in matrix @ v.co])
            entry["polygons"] = [list(p.vertices) for p in mesh.polygons]
            layer = mesh.uv_layers.active
            entry["uv"] = [c for d in layer.data for c in d.uv] if layer else None
            shown.to_mesh_clear()
    return result


def main():
    jobs_path, result_path = sys.argv[sys.argv.index("--") + 1 :]
    with open(jobs_path) as source:
        jobs = json.load(source)
    results = []
    for job in jobs:
        clear()
        load(job)
        results.append(snapshot(job))
    with open(result_path, "w") as target:
        json.dump(results, target)


main()
