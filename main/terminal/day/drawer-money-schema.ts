/** The drawer's money in the journal: the events of a day, and where it stands in a checkpoint. */
import { z } from "zod";
import {
  cashMoveSchema,
  countSchema,
  dayReportSchema,
  nightSchema,
  oneCountSchema,
} from "../../../preload/contract.ts";

const by = z.string();
const atMs = z.number();
const number = z.int();

/** The events of a day as they stand in the journal; times in milliseconds since the epoch. */
export const dayEventSchemas = [
  z.object({
    type: z.literal("day_opened"),
    number,
    currency: z.string(),
    count: countSchema,
    by,
    atMs,
    /** Entries of earlier versions have none. */
    night: nightSchema.nullable().optional(),
  }),
  z.object({ type: z.literal("cash_moved"), number, move: cashMoveSchema, count: countSchema.nullable() }),
  /** What was counted, before anybody was shown what was expected. */
  z.object({ type: z.literal("day_counted"), number, count: countSchema, by, atMs }),
  z.object({ type: z.literal("day_recounted"), number, by, atMs }),
  /** The report: immutable, as the whole journal is. */
  z.object({ type: z.literal("day_closed"), report: dayReportSchema }),
] as const;

const handOuts = { handOuts: z.int(), handedOutMinor: z.int() };
const pieces = countSchema.shape.pieces;

const daySchema = z.object({
  number,
  currency: z.string(),
  openedAtMs: z.number(),
  openedBy: z.string(),
  floatMinor: z.int(),
  night: nightSchema.nullable().default(null),
  inMinor: z.int(),
  outMinor: z.int(),
  ...handOuts,
  otherCurrency: z.int(),
  before: z.object(handOuts),
  moves: z.array(cashMoveSchema).readonly(),
  pieces: pieces.nullable(),
  counts: z.int(),
  firstCountMinor: z.int().nullable(),
  everyCount: z.array(oneCountSchema).readonly().default([]),
});

/** `DrawerMoney` as it stands in a checkpoint. */
export const drawerMoneySchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("closed"),
    number,
    leftMinor: z.int().nullable(),
    currency: z.string().nullable(),
    outside: z.object(handOuts),
  }),
  z.object({ kind: z.literal("open"), day: daySchema }),
  z.object({ kind: z.literal("counted"), day: daySchema, count: countSchema }),
]);
