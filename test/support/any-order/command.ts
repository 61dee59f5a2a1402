import fc from 'fast-check';
import { expect } from 'vitest';
import type { ApiResponse } from '../api-client.js';
import type { AccountModel } from './model.js';
import type { AccountWorld } from './world.js';

/** What somebody asks of the service. */
export interface Operation {
  send(world: AccountWorld): Promise<ApiResponse>;
  /**
   * Compares the answer with what the model says, and does the same to the model.
   * @param world for what was mailed
   * @param isBeside another request was under way, which may have ended a session after this one was let in
   */
  judge(model: AccountModel, answer: ApiResponse, world: AccountWorld, isBeside: boolean): Promise<void> | void;
  /** What may have been instead, where another request was under way. */
  judgeOtherwise?: Operation['judge'];
}

interface Step {
  /** Whether it can be tried at this moment. */
  isPossible?: (model: AccountModel) => boolean;
  operation(model: AccountModel): Operation;
}

/** What may be: of two steps at the same moment, answers and state do not always tell which came first. */
export interface Possible {
  models: AccountModel[];
}

interface Asked {
  operation: Operation;
  answer: ApiResponse;
}

/** How long a mail may take; in the order that it was not, there may be none. */
const PATIENCE_SECONDS = { alone: 20, beside: 5 };

/** A step of a story, after which everything is compared. */
export class Command implements fc.AsyncCommand<Possible, AccountWorld> {
  constructor(
    readonly name: string,
    private readonly choices: object,
    private readonly step: Step,
  ) {}

  check({ models }: Possible): boolean {
    return models.every((model) => this.step.isPossible?.(model) ?? true);
  }

  async ask({ models: [model] }: Possible, world: AccountWorld): Promise<Asked> {
    const operation = this.step.operation(model as AccountModel);
    return { operation, answer: await operation.send(world) };
  }

  async run(possible: Possible, world: AccountWorld): Promise<void> {
    await keepExplained(possible, [[await this.ask(possible, world)]], world);
  }

  toString(): string {
    return `${this.name} ${JSON.stringify(this.choices)}`;
  }
}

/** Of these, one has its mail only if the other has not. */
const CLASHING = [
  'register beside resend code',
  'forget password beside its not me',
  'forget password beside report a login',
  'forget password beside change password',
];

/** Two steps at the same moment: answers and state must be those of one of them after the other (linearizability). */
export class AtOnce implements fc.AsyncCommand<Possible, AccountWorld> {
  constructor(
    private readonly one: Command,
    private readonly other: Command,
  ) {}

  check(possible: Possible): boolean {
    const names = [this.one.name, this.other.name];
    const isClashing = [names, names.toReversed()].some((pair) => CLASHING.includes(pair.join(' beside ')));
    return !isClashing && this.one.check(possible) && this.other.check(possible);
  }

  async run(possible: Possible, world: AccountWorld): Promise<void> {
    const asked = await Promise.all([this.one, this.other].map((each) => each.ask(possible, world)));
    const [ones, others] = asked.map(versionsOf) as [Asked[], Asked[]];
    const pairs = ones.flatMap((one) => others.map((other) => [one, other]));
    await keepExplained(possible, [...pairs, ...pairs.map((pair) => pair.toReversed())], world);
  }

  toString(): string {
    return `(${String(this.one)} beside ${String(this.other)})`;
  }
}

function versionsOf({ operation, answer }: Asked): Asked[] {
  const { judgeOtherwise: judge } = operation;
  return [{ operation, answer }, ...(judge ? [{ operation: { ...operation, judge }, answer }] : [])];
}

/** Keeps what may be after all this, in one of the orders. @throws Error if that is nothing */
export async function keepExplained(possible: Possible, orders: Asked[][], world: AccountWorld): Promise<void> {
  const isBeside = orders.length > 1;
  world.patienceSeconds = isBeside ? PATIENCE_SECONDS.beside : PATIENCE_SECONDS.alone;
  const explained = new Map<string, AccountModel>();
  const failures: unknown[] = [];
  for (const model of possible.models) {
    for (const order of orders) {
      const after = model.clone();
      try {
        for (const { operation, answer } of order) await operation.judge(after, answer, world, isBeside);
        await world.expectAsSaid(after);
        explained.set(JSON.stringify(after), after);
      } catch (error) {
        failures.push(error);
      }
    }
  }
  if (explained.size === 0) throw new Error(`The rules do not explain it: ${failures.map(String).join('; ')}`);
  possible.models = [...explained.values()];
}

export interface Choices {
  /** Which instance is asked. */
  at: number;
  /** Which session, or which token of it, counted from the newest. */
  which: number;
  other: number;
  /** Whether what is sent is right, where it can be wrong. */
  isRight: boolean;
  /** Whether it is about all of something, or more of it. */
  isAll: boolean;
}

const place = fc.constantFrom(0, 0, 0, 0, 1, 1, 2, 3);

export const choices = fc.record<Choices>({
  at: fc.nat(1),
  which: place,
  other: place,
  isRight: fc.boolean(),
  isAll: fc.boolean(),
});

export const command = (name: string, stepOf: (choices: Choices) => Step) => (chosen: Choices) =>
  new Command(name, chosen, stepOf(chosen));

let lastPassword = 0;
export const newPassword = () => `New-pass${(lastPassword += 1)}$`;

export const hasSession = ({ sessions }: AccountModel) => sessions.length > 0;
export const exists = ({ exists }: AccountModel) => exists;

/** The element at this place from the end. */
export function fromEnd<T>(list: T[], place: number): T {
  return list[Math.max(list.length - 1 - place, 0)] as T;
}

export function expectRefusal({ status, body }: ApiResponse, expected: number, code: string): void {
  expect(`${status} ${body.code}`).toBe(`${expected} ${code}`);
}

/**
 * Of two who end a session at the same moment, both may be told so.
 * @param before its end when that was asked for; `now` when it is judged
 */
export function expectEnded({ status }: ApiResponse, { before, now }: Record<'before' | 'now', string | null>): void {
  expect(status).toBeOneOf([...(before ? [] : [200]), ...(now ? [404] : [])]);
}
