import * as fs from "node:fs";
import * as http from "node:http";
import * as os from "node:os";
import * as path from "node:path";
import { expect, test } from "vitest";
import { serveStudio } from "../../src/cli/studio.ts";

/** The status of a request with this Host header. */
function asked(port: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    http
      .get({ host: "127.0.0.1", port, path: "/", headers: { host } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
      .on("error", reject);
  });
}

test("the studio answers to this machine's own names only: a page elsewhere cannot point its name here", async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "isoplate-studio-"));
  fs.writeFileSync(path.join(folder, "index.html"), "<p>studio</p>");
  const server = await serveStudio({ folder });
  const { port } = new URL(server.address);
  try {
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, "localhost", `[::1]:${port}`])
      expect(await asked(port, host), host).toBe(200);
    for (const host of ["evil.example", `evil.example:${port}`, "localhost.evil.example", "::"])
      expect(await asked(port, host), host).toBe(403);
  } finally {
    await server.close();
    fs.rmSync(folder, { recursive: true });
  }
});
