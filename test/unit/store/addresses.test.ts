/** DATABASE_URL, taken apart. */
import { expect, test } from "vitest";
import { readDatabaseUrl } from "../../../backend/store/database-url.ts";

const sqlite = (path: string) => ({ kind: "sqlite", path });
const postgres = (hosts: readonly string[], writableOnly = hosts.length > 1) => ({
  kind: "postgres",
  hosts,
  writableOnly,
});

test.each([
  ["sqlite:service.db", sqlite("service.db")],
  ["sqlite::memory:", sqlite(":memory:")],
  ["sqlite:/var/lib/postgres:x", sqlite("/var/lib/postgres:x")],
  ["postgres:///d", postgres(["postgres:///d"])],
  ["postgres://u:p@h/d", postgres(["postgres://u:p@h/d"])],
  ["postgresql://h:5433", postgres(["postgresql://h:5433"])],
  ["postgres://h/d?sslmode=require", postgres(["postgres://h/d?sslmode=require"])],
  ["postgres://u:p@a:1,b:2/d?x=1", postgres(["postgres://u:p@a:1/d?x=1", "postgres://u:p@b:2/d?x=1"])],
  ["postgres://a,b?target_session_attrs=any", postgres(["postgres://a", "postgres://b"])],
  ["postgres://a/d?target_session_attrs=any", postgres(["postgres://a/d"])],
  ["postgres://a/d?target_session_attrs=read-write&x=1", postgres(["postgres://a/d?x=1"], true)],
  ["postgres://a/d?target_session_attrs=primary", postgres(["postgres://a/d"], true)],
])("%s", (text, address) => {
  expect(readDatabaseUrl(text)).toEqual(address);
});

test.each([
  "",
  "sqlite:",
  "xsqlite:a",
  "sqlite:a\nb",
  "mysql://h/d",
  "my postgres://h/d",
  "postgres:h",
  "postgres://h/d?target_session_attrs=standby",
  "postgres://a,,b/d",
  "postgres://a,/d",
  "postgres://a:port/d",
  "postgres://a,b:port/d",
])("%j is no address", (text) => {
  expect(readDatabaseUrl(text)).toBeNull();
});
