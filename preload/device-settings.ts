/** Settings of the cash drawer and the receipt printer. */
import { z } from "zod";
import {
  baudRates,
  codePages,
  defaultPrinterPort,
  drawerPins,
  paperColumns,
  printerModels,
  receiptChoices,
  settingBounds,
} from "./choices.ts";

const within = ({ min, max }: { readonly min: number; readonly max: number }) => z.int().min(min).max(max);
const textOf = ({ min, max }: { readonly min: number; readonly max: number }) => z.string().min(min).max(max);

/** The kick: which pin of the connector, how long the current flows, and how long the next one waits. */
const pulse = z
  .object({
    pin: z.literal(drawerPins).default(2),
    onMs: within(settingBounds.pulseMs).default(50),
    offMs: within(settingBounds.pulseMs).default(250),
  })
  .prefault({});
/** Whether the drawer has a switch that tells open from closed. */
const sensor = z.boolean().default(true);

/** `simulated` opens nothing and is for training; outside of it the core takes it as `none`: opened by hand. */
export const drawerSchema = z
  .discriminatedUnion("kind", [
    z.object({ kind: z.literal("simulated") }),
    z.object({ kind: z.literal("none") }),
    /** On the receipt printer that is set up. */
    z.object({ kind: z.literal("printer"), sensor, pulse }),
    /** On a printer in the network that prints nothing for this terminal. */
    z.object({
      kind: z.literal("network"),
      host: textOf(settingBounds.hostLength),
      port: within(settingBounds.port).default(defaultPrinterPort),
      sensor,
      pulse,
    }),
  ])
  .default({ kind: "simulated" });

const paper = {
  model: z.enum(printerModels).default("generic"),
  columns: z.literal(paperColumns).default(42),
  codePage: z.enum(codePages).default("auto"),
  /** Copies that are printed by themselves when cash was handed out. */
  receipts: z.enum(receiptChoices).default("customer"),
};

/** Which receipt printer is connected, how, and what paper it holds. */
export const printerSchema = z
  .discriminatedUnion("kind", [
    z.object({ kind: z.literal("none") }),
    z.object({
      kind: z.literal("network"),
      host: textOf(settingBounds.hostLength),
      port: within(settingBounds.port).default(defaultPrinterPort),
      ...paper,
    }),
    /** A serial device file, also of a USB printer that shows up as one. */
    z.object({
      kind: z.literal("serial"),
      path: textOf(settingBounds.devicePathLength),
      baudRate: z.literal(baudRates).default(9_600),
      ...paper,
    }),
  ])
  .default({ kind: "none" });
