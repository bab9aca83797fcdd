/** `isoplate studio`: the studio's files on localhost, with the headers that shared memory needs. */
import * as fs from "node:fs";
import * as http from "node:http";
import type { AddressInfo } from "node:net";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { InvalidArgumentError } from "commander";
import { type AddCommand, Failed, UsageError } from "./terminal.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".webp": "image/webp",
  ".png": "image/png",
  ".wasm": "application/wasm",
};

export interface StudioServer {
  readonly address: string;
  close(): Promise<void>;
}

/** Where the built studio lies: beside the compiled command line, or beside its sources. */
function studioFolder(): string {
  return path.join(path.dirname(fileURLToPath(import.meta.url)), "..", "..", "studio", "dist");
}

/**
 * Serves a folder on this machine only.
 *
 * @param isolated whether to send the headers of cross-origin isolation; without them the page transfers its frames
 * @throws Failed if the port is taken
 */
export async function serveStudio({
  folder = studioFolder(),
  port = 0,
  isolated = true,
}: {
  folder?: string;
  port?: number;
  isolated?: boolean;
} = {}): Promise<StudioServer> {
  if (!fs.existsSync(path.join(folder, "index.html")))
    throw new UsageError("the studio is not built; run: npm run studio:build");
  const server = http.createServer((request, response) => {
    answer(request, response, { folder, isolated });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        error.code === "EADDRINUSE"
          ? new Failed(`port ${port} is taken; choose another with --port`)
          : error,
      ),
    );
    server.listen(port, "127.0.0.1", resolve);
  });
  const { port: chosen } = server.address() as AddressInfo;
  return {
    address: `http://localhost:${chosen}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answer(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  { folder, isolated }: { folder: string; isolated: boolean },
): void {
  const headers: Record<string, string> = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
  };
  if (isolated) {
    headers["Cross-Origin-Opener-Policy"] = "same-origin";
    headers["Cross-Origin-Embedder-Policy"] = "require-corp";
    headers["Cross-Origin-Resource-Policy"] = "same-origin";
  }
  const refuse = (status: number, text: string): void => {
    response.writeHead(status, { ...headers, "Content-Type": "text/plain; charset=utf-8" });
    response.end(`${text}\n`);
  };
  // a page elsewhere may point its own name at this machine; its requests say that name (DNS rebinding)
  if (!isLocalHost(request.headers.host)) {
    refuse(403, "only localhost");
    return;
  }
  if (request.method !== "GET" && request.method !== "HEAD") {
    refuse(405, "only GET");
    return;
  }
  let wanted: string;
  try {
    wanted = decodeURIComponent(new URL(request.url ?? "/", "http://localhost").pathname);
  } catch {
    refuse(400, "bad address");
    return;
  }
  const file = path.join(
    folder,
    path.normalize(wanted.endsWith("/") ? `${wanted}index.html` : wanted),
  );
  if (!file.startsWith(folder + path.sep) || !fs.existsSync(file) || !fs.statSync(file).isFile()) {
    refuse(404, "not found");
    return;
  }
  const ending = path.extname(file).toLowerCase();
  headers["Content-Type"] = TYPES[ending] ?? "application/octet-stream";
  // names of assets change with their content
  headers["Cache-Control"] = wanted.includes("/assets/")
    ? "public, max-age=31536000, immutable"
    : "no-cache";
  // the build puts compressed copies beside its files
  const packed = `${file}.br`;
  const takesPacked = /\bbr\b/.test(String(request.headers["accept-encoding"] ?? ""));
  const body = fs.readFileSync(takesPacked && fs.existsSync(packed) ? packed : file);
  if (takesPacked && fs.existsSync(packed)) headers["Content-Encoding"] = "br";
  headers.Vary = "Accept-Encoding";
  response.writeHead(200, { ...headers, "Content-Length": String(body.length) });
  response.end(request.method === "HEAD" ? undefined : body);
}

/** Whether a Host header names this machine, with any port. */
function isLocalHost(host: string | undefined): boolean {
  return /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i.test(host ?? "");
}

export const addStudio: AddCommand = (program, terminal) => {
  program
    .command("studio")
    .description("serve the studio on localhost and print its address")
    .option("--port <n>", "port; 0 takes any that is free", portNumber, 4173)
    .addHelpText(
      "after",
      `
Examples:
  isoplate studio
  isoplate studio --port 0`,
    )
    .action(async ({ port }: { port: number }) => {
      const server = await serveStudio({ port });
      terminal.out(`isoplate studio: ${terminal.colors.bold(server.address)}`);
      terminal.err("Open the address in a browser; Ctrl-C ends it.");
      await new Promise<void>((resolve) => {
        terminal.onInterrupt(resolve);
      });
      await server.close();
    });
};

function portNumber(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65535)
    throw new InvalidArgumentError("needs a whole number from 0 to 65535");
  return port;
}
