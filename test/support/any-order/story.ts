import fc from 'fast-check';
import { DAY, HOUR, MINUTE, SECOND } from '../manual-clock.js';
import { disable, enable, endSessions, remove, restore } from './administrators.js';
import { choices, Command } from './command.js';
import type { AccountModel } from './model.js';
import { changeNames, changePassword, endOwnSession, logout, refresh, reportLogin } from './sessions.js';
import { forgetPassword, login, register, resendCode, resetPassword, verifyCode } from './visitors.js';

const waiting = (times: number[], isPossible?: (model: AccountModel) => boolean) =>
  fc.constantFrom(...times).map((ms) => {
    const run = async ({ clock }: AccountModel) => {
      clock.advance(ms);
    };
    return new Command('wait', { ms }, { isPossible, run });
  });
const wait = waiting([SECOND, 10 * SECOND, MINUTE, 10 * MINUTE, 15 * MINUTE, HOUR]);
/** An account that is not confirmed does not live that long. */
const waitLong = waiting([7 * DAY, 30 * DAY], ({ isConfirmed }) => isConfirmed);

/** What begins most stories: somebody has just logged in for the first time. */
export const BEGINNING = [register, verifyCode, login].map((step) =>
  step({ at: 0, which: 0, other: 0, isRight: true, isAll: false }),
);

const OF_VISITORS = [register, resendCode, verifyCode, forgetPassword, resetPassword];
const OF_SESSIONS = [refresh, logout, reportLogin, changePassword, changeNames, endOwnSession];
const OF_ADMINISTRATORS = [disable, enable, remove, restore, endSessions];

/**
 * The steps of a story. Each story has logins and waits, and some few other kinds of steps again and again: so those come together
 * that need several of each other (swarm testing).
 */
export const anyCommands = (maxCommands: number) =>
  fc.subarray([...OF_VISITORS, ...OF_SESSIONS, ...OF_ADMINISTRATORS], { minLength: 1, maxLength: 5 }).chain((steps) =>
    fc.commands([...[login, ...steps, ...steps, ...steps].map((step) => choices.map(step)), wait, waitLong], {
      maxCommands,
      size: 'max',
    }),
  );
