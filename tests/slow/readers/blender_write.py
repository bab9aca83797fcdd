"""Runs inside Blender: makes an animated rigid body as an artist would, and writes it as GLB.

    blender --background --factory-startup --python blender_write.py -- OUT.glb RESULT.json

A slab hangs on an empty that turns about the vertical by 200° while the slab itself slides out and tilts, with Blender's
own smooth keyframes. The result has the slab's world positions at every frame, 24 a second from frame 0.
"""
import json
import math
import sys

import numpy

if not hasattr(numpy, "bool"):
    numpy.bool = bool  # Debian's numpy is newer than this Blender's glTF exporter expects

import bpy

out, result = sys.argv[sys.argv.index("--") + 1 :]
bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
scene.render.fps = 24
scene.frame_start, scene.frame_end = 0, 24

bpy.ops.object.empty_add(location=(0.2, 0.1, 0.5))
turntable = bpy.context.object
bpy.ops.mesh.primitive_cube_add(size=1)
slab = bpy.context.object
slab.name = "slab"
slab.scale = (0.3, 0.1, 0.05)
bpy.ops.object.transform_apply(location=False, rotation=False, scale=True)
slab.parent = turntable

for frame, angle in ((0, 0), (12, 60), (24, 200)):
    turntable.rotation_euler = (0, 0, math.radians(angle))
    turntable.keyframe_insert("rotation_euler", frame=frame)
for frame, x, tilt in ((0, 0.1, 0), (24, 0.4, 50)):
    slab.location = (x, 0, 0)
    slab.rotation_euler = (math.radians(tilt), 0, 0)
    slab.keyframe_insert("location", frame=frame)
    slab.keyframe_insert("rotation_euler", frame=frame)

bpy.ops.export_scene.gltf(filepath=out, export_format="GLB", export_frame_range=True, export_force_sampling=True)

frames = []
for frame in range(25):
    scene.frame_set(frame)
    seen = slab.evaluated_get(bpy.context.evaluated_depsgraph_get())
    frames.append([c for v in seen.data.vertices for c in seen.matrix_world @ v.co])
with open(result, "w") as file:
    json.dump(frames, file)
