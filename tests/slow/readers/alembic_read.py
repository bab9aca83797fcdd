"""A reader of Alembic's Ogawa files, written from the format alone and sharing nothing with our writer.

    python3 alembic_read.py FILE.abc

It is stricter than the Alembic library: every byte of the file must belong to exactly one group or
data, nothing may overlap or be left over, digests must be the MurmurHash3 of their samples, headers
must use every byte they have. It prints the archive as JSON. What it knows of the format:

    Ogawa        "Ogawa" 0xff 0x0001, position of the root group; group = count + positions, top bit
                 for data; data = size + bytes; 0 and the lone top bit are empty group and empty data
    archive      [file version, library version, top object, metadata, time samplings, common metadata]
    object       [properties, child objects..., headers]; headers = (name, metadata index)... + 32 bytes of hashes
    properties   [one group each..., headers]
    samples      arrays: data and dimensions by turns; scalars: data; data = 16 bytes of digest + values
"""
import json
import struct
import sys

TOP = 1 << 63
PODS = ["?", "B", "b", "H", "h", "I", "i", "Q", "q", "e", "f", "d"]


class File:
    def __init__(self, raw):
        self.raw = raw
        self.spans = [(0, 16)]
        self.samples = 0
        assert raw[:5] == b"Ogawa", "magic"
        assert raw[5] == 0xFF, "not finished"
        assert raw[6:8] == b"\x00\x01", "version"
        self.root = struct.unpack_from("<Q", raw, 8)[0]

    def group(self, position):
        """Children as raw entries."""
        if position == 0:
            return []
        assert not position & TOP, "a group was expected"
        (count,) = struct.unpack_from("<Q", self.raw, position)
        assert count > 0 and position + 8 + 8 * count <= len(self.raw), "group size"
        self.span(position, 8 + 8 * count)
        return list(struct.unpack_from(f"<{count}Q", self.raw, position + 8))

    def data(self, entry):
        assert entry & TOP, "data was expected"
        position = entry & ~TOP
        if position == 0:
            return b""
        (size,) = struct.unpack_from("<Q", self.raw, position)
        assert size > 0 and position + 8 + size <= len(self.raw), "data size"
        self.span(position, 8 + size)
        return self.raw[position + 8 : position + 8 + size]

    def span(self, position, size):
        self.spans.append((position, position + size))

    def check_complete(self):
        """Every byte once: sorted spans touch and end with the file."""
        spans = sorted(set(self.spans))
        for (_, end), (start, _) in zip(spans, spans[1:]):
            assert end == start, f"bytes {end} to {start}"
        assert spans[-1][1] == len(self.raw), "bytes at the end"


def metadata(text):
    return dict(item.split("=", 1) for item in text.decode().split(";") if item)


def read_archive(file):
    children = file.group(file.root)
    assert len(children) == 6, "archive"
    assert [bool(c & TOP) for c in children] == [True, True, False, True, True, True]
    (file_version,) = struct.unpack("<i", file.data(children[0]))
    (library,) = struct.unpack("<i", file.data(children[1]))
    assert file_version == 0 and library >= 9999
    about = metadata(file.data(children[3]))

    samplings = []
    times = file.data(children[4])
    at = 0
    while at < len(times):
        most, step, stored = struct.unpack_from("<IdI", times, at)
        at += 16
        assert stored > 0
        values = struct.unpack_from(f"<{stored}d", times, at)
        at += 8 * stored
        assert stored == 1 and step > 0, "evenly spaced"
        samplings.append({"most": most, "step": step, "start": values[0]})
    assert samplings[0]["step"] == 1 and samplings[0]["start"] == 0, "sampling 0 is the default"

    common = [b""]
    packed = file.data(children[5])
    at = 0
    while at < len(packed):
        common.append(packed[at + 1 : at + 1 + packed[at]])
        at += 1 + packed[at]
    assert at == len(packed)
    top = read_object(file, children[2], "", {}, common, samplings)
    return {"about": about, "samplings": samplings, "top": top}


def read_object(file, position, name, about, common, samplings):
    children = file.group(position)
    assert len(children) >= 2
    headers = file.data(children[-1])
    assert len(headers) >= 32, "hashes"
    names = []
    at, end = 0, len(headers) - 32
    while at < end:
        (size,) = struct.unpack_from("<I", headers, at)
        child = headers[at + 4 : at + 4 + size].decode()
        assert child and "/" not in child
        index = headers[at + 4 + size]
        assert index != 0xFF
        names.append((child, metadata(common[index])))
        at += 5 + size
    assert at == end
    assert len({n for n, _ in names}) == len(names) == len(children) - 2
    return {
        "name": name,
        "metadata": about,
        "properties": read_properties(file, children[0], common, samplings),
        "children": [
            read_object(file, entry, child, child_about, common, samplings)
            for entry, (child, child_about) in zip(children[1:-1], names)
        ],
    }


def read_properties(file, position, common, samplings):
    children = file.group(position)
    if not children:
        return {}
    headers = file.data(children[-1])
    result = {}
    at = 0
    for entry in children[:-1]:
        (info,) = struct.unpack_from("<I", headers, at)
        at += 4
        assert info >> 28 == 0
        kind, hint = info & 3, (info >> 2) & 3
        number = ["<B", "<H", "<I"][hint]

        def take():
            nonlocal at
            (value,) = struct.unpack_from(number, headers, at)
            at += struct.calcsize(number)
            return value

        item = {"kind": ["compound", "scalar", "array", "array"][kind]}
        if kind != 0:
            samples = take()
            if info & 0x200:
                first, last = take(), take()
            elif info & 0x800:
                first = last = 0
            else:
                first, last = 1, samples - 1
            sampling = take() if info & 0x100 else 0
            assert samples <= max(samplings[sampling]["most"], 1), "more samples than the archive says"
            item.update(samples=samples, constant=first == last == 0, sampling=sampling)
        size = take()
        name = headers[at : at + size].decode()
        at += size
        index = info >> 20
        assert index != 0xFF
        item["metadata"] = metadata(common[index])
        if kind == 0:
            item["children"] = read_properties(file, entry, common, samplings)
        else:
            pod, extent = PODS[(info >> 4) & 15], (info >> 12) & 255
            stored = 1 if item["constant"] else last - first + 2
            item["extent"] = extent
            item["type"] = pod
            item["values"] = read_samples(file, entry, kind, pod, extent, stored)
        assert name not in result
        result[name] = item
    assert at == len(headers)
    return result


def read_samples(file, position, kind, pod, extent, stored):
    children = file.group(position)
    per = 1 if kind == 1 else 2
    assert len(children) == per * stored, "samples"
    values = []
    for entry in children[::per]:
        raw = file.data(entry)
        size = struct.calcsize("<" + pod)
        assert len(raw) >= 16 and (len(raw) - 16) % (size * extent) == 0
        assert raw[:16] == murmur(raw[16:]), "digest"
        file.samples += 1
        count = (len(raw) - 16) // size
        if kind == 1:
            assert count == extent, "a scalar is one value"
        values.append(list(struct.unpack_from(f"<{count}{pod}", raw, 16)))
    if kind != 1:
        for entry in children[1::2]:
            assert file.data(entry) == b"", "dimensions of a list follow from its size"
    return values


def murmur(raw):
    """MurmurHash3_x64_128, seed 0, by its published description."""
    mask = (1 << 64) - 1
    c1, c2 = 0x87C37B91114253D5, 0x4CF5AD432745937F

    def rotate(x, r):
        return ((x << r) | (x >> (64 - r))) & mask

    def final(k):
        k ^= k >> 33
        k = k * 0xFF51AFD7ED558CCD & mask
        k ^= k >> 33
        k = k * 0xC4CEB9FE1A85EC53 & mask
        return k ^ (k >> 33)

    h1 = h2 = 0
    whole = len(raw) // 16 * 16
    for at in range(0, whole, 16):
        k1, k2 = struct.unpack_from("<QQ", raw, at)
        h1 ^= rotate(k1 * c1 & mask, 31) * c2 & mask
        h1 = ((rotate(h1, 27) + h2) * 5 + 0x52DCE729) & mask
        h2 ^= rotate(k2 * c2 & mask, 33) * c1 & mask
        h2 = ((rotate(h2, 31) + h1) * 5 + 0x38495AB5) & mask
    tail = raw[whole:]
    k1 = int.from_bytes(tail[:8], "little")
    k2 = int.from_bytes(tail[8:], "little")
    h2 ^= rotate(k2 * c2 & mask, 33) * c1 & mask
    h1 ^= rotate(k1 * c1 & mask, 31) * c2 & mask
    h1 ^= len(raw)
    h2 ^= len(raw)
    h1 = (h1 + h2) & mask
    h2 = (h2 + h1) & mask
    h1, h2 = final(h1), final(h2)
    h1 = (h1 + h2) & mask
    h2 = (h2 + h1) & mask
    return struct.pack("<QQ", h1, h2)


def main():
    assert murmur(b"The quick brown fox jumps over the lazy dog").hex() == "6c1b07bc7bbc4be347939ac4a93c437a"
    with open(sys.argv[1], "rb") as source:
        file = File(source.read())
    archive = read_archive(file)
    file.check_complete()
    archive["sampleCount"] = file.samples
    json.dump(archive, sys.stdout)


main()
