/** Packages that isoplate can do without: loaded when they are needed, with a message that says what to install. */

/** A package that somebody has to install first. */
export class MissingPackage extends Error {
  readonly packages: readonly string[];
  constructor(purpose: string, packages: readonly string[]) {
    super(`${purpose} needs ${packages.join(" and ")}: npm install ${packages.join(" ")}`);
    this.name = "MissingPackage";
    this.packages = packages;
  }
}

/**
 * Loads modules that import optional packages.
 *
 * @throws MissingPackage if one of the packages is not there
 */
export async function optional<T>(
  purpose: string,
  packages: readonly string[],
  load: () => Promise<T>,
): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: unknown };
    // Node says "Cannot find package 'vega' imported from …"
    const missing =
      code === "ERR_MODULE_NOT_FOUND" &&
      packages.some((name) => String(message).includes(`'${name}'`));
    throw missing ? new MissingPackage(purpose, packages) : error;
  }
}
