/** Which changes are not tried: what people read and what a log line says is wording, and no test should hold it word for word. */
import type { Ignorer } from "@stryker-mutator/api/ignore";
import { declareValuePlugin, PluginKind } from "@stryker-mutator/api/plugin";

/** As much of a node of Babel's tree as is read here. */
interface SyntaxNode {
  readonly type: string;
  readonly name?: string;
  readonly value?: unknown;
  readonly callee?: SyntaxNode;
  readonly object?: SyntaxNode;
  readonly property?: SyntaxNode;
  readonly test?: SyntaxNode | null;
  readonly consequent?: readonly SyntaxNode[];
  readonly argument?: SyntaxNode | null;
  readonly quasis?: readonly { readonly value: { readonly raw: string } }[];
}
interface Place {
  readonly node: SyntaxNode;
  readonly parent: SyntaxNode | null;
  readonly listKey?: string;
}

const hasWords = (text: string): boolean => /[a-z,.:;] |^ [a-z]/i.test(text);

const isLog = ({ type, name, object, property }: SyntaxNode): boolean =>
  type === "Identifier"
    ? name === "log"
    : type === "MemberExpression" && (property?.name === "log" || (object !== undefined && isLog(object)));

/** A text of more than one word, unless it is tagged (SQL is). */
const isSentence = ({ node, parent }: Place): boolean =>
  (node.type === "StringLiteral" && hasWords(String(node.value))) ||
  (node.type === "TemplateLiteral" &&
    parent?.type !== "TaggedTemplateExpression" &&
    (node.quasis ?? []).some(({ value }) => hasWords(value.raw)));

/** `default: return assertNever(…)` */
const isNever = ({ type, test, consequent }: SyntaxNode): boolean =>
  type === "SwitchCase" && test === null && consequent?.[0]?.argument?.callee?.name === "assertNever";

const wording: Ignorer = {
  shouldIgnore(path) {
    const place = path as Place;
    if (isNever(place.node)) return "types say that it is never reached";
    if (isSentence(place)) return "a sentence for people";
    const isLogged =
      place.listKey === "arguments" &&
      place.parent?.type === "CallExpression" &&
      isLog(place.parent.callee ?? place.node);
    return isLogged ? "what a log line says" : undefined;
  },
};

/** What StrykerJS looks for. */
export const strykerPlugins = [declareValuePlugin(PluginKind.Ignore, "wording", wording)];
