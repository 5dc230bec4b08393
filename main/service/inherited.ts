/** What a service that this program starts is told of the environment; every other variable could be a setting of another service. */

/** Variables by their names. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What any program of this machine needs. */
const machine = ["PATH", "HOME", "TMPDIR", "TEMP", "TMP", "TZ", "LANG", "SystemRoot", "USERPROFILE"] as const;

/** @param more variables that this service takes beside those of the machine. */
export const inheritedFrom = (env: Environment, more: readonly string[]): Environment =>
  Object.fromEntries([...machine, ...more].map((name) => [name, env[name]]));
