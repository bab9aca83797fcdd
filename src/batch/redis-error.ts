/** Redis cannot be reached, or refuses the connection. (By itself, so that commands know it without loading a client.) */
export class RedisError extends Error {
  /** @param url its password is left out of the message */
  constructor(url: string, reason: string) {
    super(`Redis at ${url.replace(/\/\/[^@/]*@/, "//…@")}: ${reason}`);
    this.name = "RedisError";
  }
}

/**
 * What an error of the connection says, with the addresses that were tried. A name with several addresses ("localhost" is
 * 127.0.0.1 and ::1) fails with a list of errors and no message of its own.
 */
export function connectionReason(error: unknown): string {
  const inner = error instanceof AggregateError ? (error.errors as unknown[]) : [error];
  const reasons = inner
    .filter((one): one is NodeJS.ErrnoException => one instanceof Error)
    .map((one) => {
      const { code, address, port, hostname } = one as NodeJS.ErrnoException & {
        address?: string;
        port?: number;
        hostname?: string;
      };
      const where = address === undefined ? "" : ` (${address}, port ${port})`;
      if (code === "ECONNREFUSED") return `nobody listens there${where}`;
      if (code === "ENOTFOUND" || code === "EAI_AGAIN")
        return `there is no machine of the name "${hostname ?? ""}"`;
      if (code === "ETIMEDOUT" || code === "EHOSTUNREACH" || code === "ENETUNREACH")
        return `it cannot be reached${where}`;
      return one.message;
    })
    .filter((text) => text !== "");
  return [...new Set(reasons)].join("; ");
}
