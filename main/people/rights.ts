/** Who may send which command. The host checks it before anything reaches the terminal; the page's own checks only save a press. */
import type { Command } from "../../preload/contract.ts";

/** What a command needs; the core may ask for more, with a second person's PIN. */
export type Right =
  /** Proves itself, or harms nobody. */
  | "anyone"
  /** Whoever serves customers, signed in where cashiers sign in. */
  | "counter"
  /** As `counter`; also while the list of people is lost, so that cash that is paid can leave. */
  | "pay_out"
  /** As `manager`, but open while the terminal has never been enrolled and has no manager. */
  | "set_up"
  /** As `manager`, but open while the list of people is lost and this terminal belongs to no service: by the operator's word alone. */
  | "operator_code"
  /** An open manager's session; in training open to everybody until somebody sets a PIN. */
  | "manager"
  /** An open manager's session, also in training. */
  | "known_manager";

/** Leaving a command out is a type error. */
export const rightOf: Readonly<Record<Command["type"], Right>> = {
  scan: "counter",
  confirm: "counter",
  reject: "pay_out",
  hand_out: "pay_out",
  not_handed_out: "pay_out",
  dismiss: "pay_out",
  retry: "pay_out",
  resume: "pay_out",
  open_drawer: "pay_out",
  open_day: "counter",
  move_cash: "counter",
  count_day: "counter",
  recount_day: "counter",
  close_day: "counter",
  get_day: "counter",
  list_days: "manager",
  print_day: "manager",
  print_receipt: "counter",
  retry_print: "pay_out",
  drop_prints: "pay_out",
  enroll: "manager",
  enroll_by_code: "operator_code",
  check_connection: "set_up",
  change_settings: "set_up",
  test_drawer: "manager",
  test_printer: "manager",
  practice_request: "counter",
  practice_read: "counter",
  practice_decide: "counter",
  switch_purpose: "set_up",
  move_customer_display: "manager",
  close_program: "set_up",
  save_report: "manager",
  check_machine: "manager",
  list_history: "counter",
  list_cashiers: "counter",
  get_story: "counter",
  get_figures: "manager",
  get_books: "manager",
  set_up_service: "manager",
  change_service: "manager",
  get_service: "manager",
  restart_service: "manager",
  back_up_service: "manager",
  renew_bank_access: "manager",
  discard_bank_file: "manager",
  open_phone_access: "known_manager",
  close_phone_access: "counter",
  check_for_update: "manager",
  install_update: "manager",
  check_journal: "manager",
  list_problems: "manager",
  decide_withdrawal: "manager",
  acknowledge_problem: "manager",
  answer_journal_question: "manager",
  set_manager_pin: "anyone",
  reset_manager: "anyone",
  sign_in: "anyone",
  sign_out: "anyone",
  still_here: "anyone",
  change_pin: "anyone",
  save_person: "manager",
  remove_person: "manager",
};
