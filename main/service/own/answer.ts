/** Replies to the form about the own service. */
import type { OwnServiceField, OwnServiceReply } from "../../../preload/contract.ts";
import { ServiceRefusal } from "../service-channel.ts";

/** The change was made. */
export const done: OwnServiceReply = { kind: "done" };

/** The change was refused. @param fields the wrong ones. @param output the service's own sentence; null: none. */
export const refused = (fields: readonly OwnServiceField[], output: string | null = null): OwnServiceReply => ({
  kind: "refused",
  fields,
  output,
});

/** Turns a ServiceRefusal of `work` into wrong fields; rethrows other errors. @param names the form's fields by the commands' flags. */
export const withFieldErrors = async (
  names: Readonly<Record<string, OwnServiceField>>,
  work: () => Promise<void>,
): Promise<OwnServiceReply> => {
  try {
    await work();
    return done;
  } catch (error) {
    if (!(error instanceof ServiceRefusal)) throw error;
    const fields = error.fields.flatMap((name) => names[name] ?? []);
    return refused(fields, error.message);
  }
};
