/** Parses DATABASE_URL. */

/** One or several hosts, of which one accepts writes. */
export interface PostgresAddress {
  readonly kind: "postgres";
  /** One URL per host, in the order to try: `postgres://USER:PASSWORD@HOST:PORT/DATABASE?…`. */
  readonly hosts: readonly string[];
  /** Whether to skip servers that refuse writes (standbys): `target_session_attrs`, or several hosts. */
  readonly writableOnly: boolean;
}

/** The database in DATABASE_URL; `path` is a file, or `:memory:`. */
export type DatabaseAddress = { readonly kind: "sqlite"; readonly path: string } | PostgresAddress;

/** Message for an invalid DATABASE_URL. */
export const databaseUrlForm =
  "must be sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE (several hosts: HOST1:5432,HOST2:5432, with ?target_session_attrs=read-write)";

const targetName = "target_session_attrs";
const targets: Readonly<Record<string, boolean>> = { any: false, "read-write": true, primary: true };

/** Scheme, user and password, hosts, path, query. `URL` knows one host only. */
const form = /^(?<scheme>postgres(?:ql)?:\/\/)(?<user>[^@/?]*@)?(?<hosts>[^/?]*)(?<path>\/[^?]*)?(?<query>\?.*)?$/;

/** Parses DATABASE_URL; null when invalid, which `databaseUrlForm` explains. */
export const readDatabaseUrl = (text: string): DatabaseAddress | null => {
  if (!/^postgres(ql)?:/.test(text)) {
    const path = /^sqlite:(.+)$/.exec(text)?.[1];
    return path === undefined ? null : { kind: "sqlite", path };
  }
  const parts = form.exec(text)?.groups;
  if (parts === undefined) return null;
  const query = new URLSearchParams(parts.query ?? "");
  const target = query.get(targetName);
  const asked = target === null ? false : targets[target];
  if (asked === undefined) return null;
  query.delete(targetName);
  const rest = `${parts.path ?? ""}${query.size === 0 ? "" : `?${query}`}`;
  const names = (parts.hosts ?? "").split(",");
  const hosts = names.map((name) => `${parts.scheme}${parts.user ?? ""}${name}${rest}`);
  if (hosts.length > 1 && names.includes("")) return null;
  if (!hosts.every((host) => URL.canParse(host))) return null;
  return { kind: "postgres", hosts, writableOnly: asked || hosts.length > 1 };
};
