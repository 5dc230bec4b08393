/** The printers are named as the encoder names them, whose models they are. */
import ReceiptPrinterEncoder from "@point-of-sale/receipt-printer-encoder";
import { expect, test } from "vitest";
import { printerNames } from "../../../preload/choices.ts";

test.each(Object.entries(printerNames).filter(([id]) => id !== "generic"))("%s is a %s", (id, name) => {
  const { printerModels } = ReceiptPrinterEncoder as unknown as { printerModels: { id: string; name: string }[] };
  expect(printerModels.find((model) => model.id === id)?.name.trim()).toBe(name);
});
