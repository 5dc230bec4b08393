/** The facts of a withdrawal that never change; every journal entry about it carries them, so that one lost entry loses no money. */
export interface Facts {
  readonly withdrawalId: string;
  readonly transactionId: string;
  /** The `transaction_id_partner` of the one confirm; fixed when the withdrawal begins, so that it survives any crash. */
  readonly partnerId: string;
  readonly amount: string;
  readonly currency: string;
  readonly shop: string;
}

/** The facts alone, of a withdrawal that carries more. */
export const factsOf = (withdrawal: Facts): Facts => ({
  withdrawalId: withdrawal.withdrawalId,
  transactionId: withdrawal.transactionId,
  partnerId: withdrawal.partnerId,
  amount: withdrawal.amount,
  currency: withdrawal.currency,
  shop: withdrawal.shop,
});

/** The facts that the screens show. */
export const shownFacts = (facts: Facts) => ({
  withdrawalId: facts.withdrawalId,
  transactionId: facts.transactionId,
  money: { amount: facts.amount, currency: facts.currency },
});
