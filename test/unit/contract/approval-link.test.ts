/** The customer's way to the approval: what a template may be, and what becomes of it. */
import { expect, test } from "vitest";
import { approvalLink, isApprovalTemplate } from "../../../backend/contract/approval-link.ts";
import { hostileApprovalLinks } from "../../service/hostile-approval-links.ts";

test.each([
  ["https://app.bank.example/approve?cash={transaction_id}", "https://app.bank.example/approve?cash=7F3K"],
  ["http://127.0.0.1:9797/approve/{transaction_id}", "http://127.0.0.1:9797/approve/7F3K"],
  ["mybank://approve?cash={transaction_id}&again={transaction_id}", "mybank://approve?cash=7F3K&again=7F3K"],
  ["MyBank://approve/{transaction_id}#now", "MyBank://approve/7F3K#now"],
  ["mybank:///approve/{transaction_id}", "mybank:///approve/7F3K"],
  ["msbank://approve/{transaction_id}", "msbank://approve/7F3K"],
  ["com.my-bank.app://approve/{transaction_id}", "com.my-bank.app://approve/7F3K"],
])("%s is a way to an app", (template, link) => {
  expect([isApprovalTemplate(template), approvalLink(template, "7F3K")]).toEqual([true, link]);
});

test.each(hostileApprovalLinks)("%j leads nowhere", (template) => {
  expect([isApprovalTemplate(template), approvalLink(template, "7F3K")]).toEqual([false, null]);
});

test("a template has 2,048 characters at most", () => {
  const [long, longer] = [2_048, 2_049].map((length) => "https://bank.example/{transaction_id}".padEnd(length, "x"));
  expect([isApprovalTemplate(long ?? ""), isApprovalTemplate(longer ?? "")]).toEqual([true, false]);
});

test("a bank without a template has no link", () => {
  expect(approvalLink(null, "7F3K")).toBeNull();
});
