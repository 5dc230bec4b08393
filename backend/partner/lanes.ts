/** Calls in flight, by partner: each has its own slots, so that a bank that hangs holds up no other one. */
/** Own orders that wait for a free slot; the rest is left to the claim after the lease. */
const waitingMax = 1_000;

/** What a lane has to know of a leased row. */
interface Leased {
  /** The end of its lease, epoch milliseconds. */
  readonly due_at: number;
}

/** The slots of one partner, and the own orders that wait for one. */
export class Lane<Order extends Leased> {
  /** The last claim got all it asked for, so there may be more. */
  hasBacklog = false;
  #inFlight = 0;
  /** Slots kept for a claim under way, so that two polls do not both take the free ones. */
  #claiming = 0;
  readonly #slots: number;
  readonly #waiting: Order[] = [];

  constructor(slots: number) {
    this.#slots = slots;
  }

  get free(): number {
    return this.#slots - this.#inFlight - this.#claiming;
  }

  /** With less than half of the slots taken and no claim under way, it is worth asking the database for more. */
  get wantsClaim(): boolean {
    return this.hasBacklog && this.#claiming === 0 && this.#inFlight * 2 <= this.#slots;
  }

  /** Runs `call` in a slot. */
  async run(call: () => Promise<void>): Promise<void> {
    this.#inFlight += 1;
    try {
      await call();
    } finally {
      this.#inFlight -= 1;
    }
  }

  /** Runs `claim` with all free slots kept for what it brings; without one it is not run. */
  async claim(claim: (limit: number) => Promise<readonly Order[]>): Promise<readonly Order[]> {
    const slots = this.free;
    if (slots <= 0) return [];
    this.#claiming += slots;
    try {
      const orders = await claim(slots);
      this.hasBacklog = orders.length >= slots;
      return orders;
    } finally {
      this.#claiming -= slots;
    }
  }

  /** Keeps an own order until a slot is free; forgets it when too many wait. */
  wait(order: Order): void {
    if (this.#waiting.length < waitingMax) this.#waiting.push(order);
  }

  /** Own orders for the slots that are free now, the longest-waiting first; those whose lease ends before `untilMs` are forgotten. */
  takeWaiting(untilMs: number): readonly Order[] {
    const taken: Order[] = [];
    while (taken.length < this.free) {
      const order = this.#waiting.shift();
      if (order === undefined) break;
      if (order.due_at > untilMs) taken.push(order);
    }
    return taken;
  }
}
