/** What every command of the bridge says about itself: its name, who may give it, who answers it, and what it holds. */
import { z } from "zod";

/** What a command needs; the core may ask for more, with a second person's PIN. */
export type Right =
  /** Open to everybody: it carries its own proof, or does no harm. */
  | "anyone"
  /** Whoever serves customers, signed in where cashiers sign in. */
  | "counter"
  /** As `counter`, for what begins a withdrawal or moves cash without one: not before the service has said whether people are missing here. */
  | "serve"
  /** As `counter`, and also while the list of people is lost, so that paid cash can still be handed out. */
  | "pay_out"
  /** As `manager`, but open while the terminal has never been enrolled and has no manager. */
  | "set_up"
  /** As `manager`, but open while the list of people is lost and the terminal is not enrolled: only the operator can confirm it. */
  | "operator_code"
  /** An open manager's session; in training open to everybody until somebody sets a PIN. */
  | "manager"
  /** An open manager's session, also in training. */
  | "known_manager";

/** Parts of the program around the terminal; a command that none of them answers is refused. */
export const hostParts = ["purpose", "report", "windows", "ownService", "phone", "updates"] as const;
/** One of `hostParts`. */
export type HostPartName = (typeof hostParts)[number];

/** Who answers a command: the guard (`people`), a part of the host, or a part of the terminal. */
export type Answerer =
  | "people"
  | HostPartName
  /** Decided by the core (`flow.ts`). */
  | "cashier"
  | "manager"
  | "day"
  | "printer"
  | "history"
  | "setUp"
  | "enrolment"
  | "terminal";

/** One row of the table of commands. */
interface CommandRow<Type extends string, By extends Answerer, Shape extends z.ZodRawShape> {
  readonly type: Type;
  readonly right: Right;
  readonly by: By;
  readonly schema: z.ZodObject<Shape & { type: z.ZodLiteral<Type> }>;
}

/** Makes a row. @param shape what the command holds beside its name. */
export const command = <
  const Type extends string,
  const By extends Answerer,
  Shape extends z.ZodRawShape = Record<never, never>,
>(
  type: Type,
  right: Right,
  by: By,
  shape: Shape = {} as Shape,
): CommandRow<Type, By, Shape> => ({ type, right, by, schema: z.object({ ...shape, type: z.literal(type) }) });
