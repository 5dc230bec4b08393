/** The bank's credentials for this service: handed over in one local file, never shown on a page. */
import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Content of the file; `key` null: the bank chose its own. */
export interface BankAccess {
  readonly bank: string;
  readonly shop: string;
  readonly address: string;
  readonly key: string | null;
  readonly device: string;
  readonly password: string;
}

const textOf = ({
  bank,
  shop,
  address,
  key,
  device,
  password,
}: BankAccess): string => `Tillcash: access for the bank ${bank}

This file holds secrets. Give it to the bank's engineers on a safe way, then delete it.

Service                     ${address}
API reference               ${address}/docs
Shop (store)                ${shop}

Signing in: POST /oauth2/authorize
  merchant_id               ${bank}
  device_id                 ${device}
  password                  ${password}

The service signs its calls to the bank (Standard Webhooks) with
  ${key ?? "the key that the bank gave"}
`;

/** Path of the file in the service's folder. */
export const bankFileIn = (folder: string): string => path.join(folder, "for-the-bank.txt");

/** Replaces the file, readable by this user alone (0600). */
export const writeBankFile = (folder: string, access: BankAccess): void => {
  rmSync(bankFileIn(folder), { force: true });
  writeFileSync(bankFileIn(folder), textOf(access), { mode: 0o600, flush: true });
};

/** Deletes the file, once the bank has it. */
export const discardBankFile = (folder: string): void => rmSync(bankFileIn(folder), { force: true });
