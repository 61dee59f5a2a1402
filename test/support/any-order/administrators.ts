import { expect } from 'vitest';
import { command, exists, expectEnded, fromEnd, hasSession } from './command.js';
import type { AccountModel } from './model.js';

interface Decision {
  method: string;
  /** Behind the account. */
  path?: string;
  body?: object;
  isAllowed?: (model: AccountModel) => boolean;
  apply(model: AccountModel): void;
}

/** What an administrator decides about the account. */
const decision = (name: string, { method, path = '', body, isAllowed = () => true, apply }: Decision) =>
  command(name, ({ at }) => ({
    isPossible: exists,
    operation: ({ userId }) => ({
      send: (world) => world.decide(at, method, `${userId}${path}`, body),
      judge(model, { status }) {
        expect(status).toBe(isAllowed(model) ? 200 : 422);
        if (status === 200) apply(model);
      },
    }),
  }));

export const disable = decision('disable', {
  method: 'PATCH',
  body: { status: 'inactive' },
  apply(model) {
    if (!model.isDisabled) model.record('user_disabled');
    model.isDisabled = true;
    model.end('account_disabled');
  },
});

export const enable = decision('enable', {
  method: 'PATCH',
  body: { status: 'active' },
  isAllowed: ({ isDisabled, isConfirmed, isDeleted }) => isDisabled || (isConfirmed && !isDeleted),
  apply(model) {
    if (model.isDisabled) model.record('user_enabled');
    model.isDisabled = false;
  },
});

export const grantRole = decision('grant the role', {
  method: 'PATCH',
  body: { role: 'admin' },
  isAllowed: ({ isAdmin, isConfirmed, isActive }) => isAdmin || (isConfirmed && isActive),
  apply(model) {
    if (!model.isAdmin) model.record('user_role_changed');
    model.isAdmin = true;
  },
});

export const takeRole = decision('take the role', {
  method: 'PATCH',
  body: { role: null },
  apply(model) {
    if (model.isAdmin) model.record('user_role_changed');
    model.isAdmin = false;
  },
});

export const remove = decision('delete', {
  method: 'DELETE',
  apply(model) {
    if (!model.isDeleted) model.record('user_deleted');
    model.isDeleted = true;
    model.end('account_disabled');
  },
});

export const restore = decision('restore', {
  method: 'POST',
  path: '/restore',
  body: {},
  apply(model) {
    if (model.isDeleted) model.record('user_restored');
    model.isDeleted = false;
  },
});

export const endSessions = decision('end all sessions as an administrator', {
  method: 'DELETE',
  path: '/login-history',
  apply: (model) => model.end('session_revoked'),
});

export const endSession = command('end a session as an administrator', ({ at, which }) => ({
  isPossible: hasSession,
  operation({ userId, sessions }) {
    const { id, end } = fromEnd(sessions, which);
    return {
      send: (world) => world.decide(at, 'DELETE', `${userId}/login-history/${id}`),
      judge(model, answer) {
        expectEnded(answer, { before: end, now: model.session(id).end });
        model.end('session_revoked', [model.session(id)]);
      },
    };
  },
}));
