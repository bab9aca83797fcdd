/** Redis is not there, or does not let us in. (By itself, so that commands know it without loading a client.) */
export class RedisError extends Error {
  constructor(url: string, reason: string) {
    super(`Redis at ${url.replace(/\/\/[^@/]*@/, "//…@")}: ${reason}`);
    this.name = "RedisError";
  }
}
