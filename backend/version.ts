import manifest from "../package.json" with { type: "json" };

/** The program's version, one for the terminal, the service, its API reference and its calls to banks. */
export const serviceVersion: string = manifest.version;
