import fc from 'fast-check';
import { DAY, HOUR, MINUTE, SECOND } from '../manual-clock.js';
import { disable, enable, endSession, endSessions, grantRole, remove, restore, takeRole } from './administrators.js';
import { AtOnce, choices, keepExplained, type Possible } from './command.js';
import type { AccountModel } from './model.js';
import { disturbed } from './outages.js';
import { changeNames, changePassword, endOwnSession, logout, refresh, reportByLink, reportLogin } from './sessions.js';
import { forgetPassword, login, register, resendCode, resetPassword, verifyCode } from './visitors.js';
import type { AccountWorld } from './world.js';

/** Nobody asks for anything. */
const waiting = (times: number[], isPossible: (model: AccountModel) => boolean) =>
  fc.constantFrom(...times).map((ms): fc.AsyncCommand<Possible, AccountWorld> => ({
    check: ({ models }) => models.every(isPossible),
    async run(possible, world) {
      world.clock.advance(ms);
      await keepExplained(possible, [[]], world);
    },
    toString: () => `wait ${ms / SECOND} s`,
  }));
const wait = waiting([SECOND, 10 * SECOND, MINUTE, 10 * MINUTE, 15 * MINUTE, HOUR], () => true);
/** An account that is not confirmed does not live that long. */
const waitLong = waiting([7 * DAY, 30 * DAY], ({ isConfirmed }) => isConfirmed);

/** What begins most stories: somebody has just logged in for the first time. */
export const BEGINNING = [register, verifyCode, login].map((step) =>
  step({ at: 0, which: 0, other: 0, isRight: true, isAll: false }),
);

const OF_VISITORS = [register, resendCode, verifyCode, forgetPassword, resetPassword];
const OF_SESSIONS = [refresh, logout, reportLogin, reportByLink, changePassword, changeNames, endOwnSession];
const OF_ADMINISTRATORS = [disable, enable, remove, restore, endSessions, endSession, grantRole, takeRole];

/**
 * The steps of a story. Each story has logins and waits, and some few other kinds of steps again and again: so those come together
 * that need several of each other (swarm testing).
 */
export const anyCommands = (how: 'one at a time' | 'two at a time' | 'with outages', maxCommands: number) =>
  fc.subarray([...OF_VISITORS, ...OF_SESSIONS, ...OF_ADMINISTRATORS], { minLength: 1, maxLength: 5 }).chain((kinds) => {
    const steps = [login, ...kinds, ...kinds, ...kinds].map((kind) => choices.map(kind));
    const step = fc.oneof(...steps);
    const special = {
      'one at a time': step,
      'two at a time': fc.tuple(step, step).map(([one, other]) => new AtOnce(one, other)),
      'with outages': disturbed(step),
    };
    return fc.commands<Possible, AccountWorld, false>([...steps, wait, waitLong, ...steps.map(() => special[how])], {
      maxCommands,
      size: 'max',
    });
  });
