/** Hands a file to the person: a download, as the browser does it. */
export function save(name: string, content: Uint8Array | Blob): void {
  const blob = content instanceof Blob ? content : new Blob([content as Uint8Array<ArrayBuffer>]);
  const address = URL.createObjectURL(blob);
  const anchor = document.createElement("a");
  anchor.href = address;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
