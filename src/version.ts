/** The version of the package; a test holds it equal to package.json's. */
export const version: string = "0.2.0";
