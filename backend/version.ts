import manifest from "../package.json" with { type: "json" };

/** The program's version, shared by terminal, service, API reference and calls to banks. */
export const serviceVersion: string = manifest.version;
