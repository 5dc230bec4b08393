/// <reference types="vite/client" />

interface ImportMetaEnv {
  /** The program's version, from package.json. */
  readonly VITE_VERSION: string;
}
