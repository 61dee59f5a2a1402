import fc from 'fast-check';
import { expect } from 'vitest';
import type { ApiResponse } from '../api-client.js';
import type { AccountModel } from './model.js';
import type { AccountWorld } from './world.js';

export interface Step {
  /** Whether it can be tried at this moment. */
  isPossible?: (model: AccountModel) => boolean;
  run(model: AccountModel, world: AccountWorld): Promise<void>;
}

/** A step of a story, after which everything is compared. */
export class Command implements fc.AsyncCommand<AccountModel, AccountWorld> {
  constructor(
    private readonly name: string,
    private readonly choices: object,
    private readonly step: Step,
  ) {}

  check(model: AccountModel): boolean {
    return this.step.isPossible?.(model) ?? true;
  }

  async run(model: AccountModel, world: AccountWorld): Promise<void> {
    await this.step.run(model, world);
    await world.expectAsSaid(model);
  }

  toString(): string {
    return `${this.name} ${JSON.stringify(this.choices)}`;
  }
}

export interface Choices {
  /** Which instance is asked. */
  at: number;
  /** Which session, or which token of it, counted from the newest. */
  which: number;
  other: number;
  isRight: boolean;
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
  expect({ status, code: body.code }).toEqual({ status: expected, code });
}
