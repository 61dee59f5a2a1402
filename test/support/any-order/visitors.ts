import { expect } from 'vitest';
import { decodeToken } from '../forged-token.js';
import { wrongCode } from '../inbox.js';
import { newRegistration } from '../personas.js';
import { FIREFOX, IPHONE } from '../user-agents.js';
import { command, exists, expectRefusal, fromEnd, newPassword, type Operation } from './command.js';

export const register = command('register', ({ at }) => ({
  operation({ name, email }) {
    const password = newPassword();
    const registration = newRegistration({ username: name, email, password, password_confirmation: password });
    return {
      send: (world) => world.client(at).post('/auth/register', registration),
      async judge(model, { status, body }, world) {
        if (model.isTaken) {
          expect(status).toBe(422);
          const fields = (body.errors as { field: string }[]).map(({ field }) => field).sort();
          expect(fields).toEqual(model.username === name ? ['email', 'username'] : ['email']);
          return;
        }
        expect(status).toBe(201);
        const isMailed = model.otp.isWithinQuota();
        expect(body.data.otp_sent).toBe(isMailed);
        model.register(body.data.user._id as string, password);
        if (isMailed) await world.receive(model, 'email-verification');
      },
    };
  },
}));

export const resendCode = command('resend code', ({ at }) => ({
  isPossible: exists,
  operation: ({ email }) => ({
    send: (world) => world.client(at).post('/auth/resend-otp', { email }),
    async judge(model, { status }, world) {
      expect(status).toBe(200);
      if (!model.awaitsCode || !model.otp.isWithinQuota()) return;
      await world.receive(model, 'email-verification');
    },
  }),
}));

export const verifyCode = command('verify code', ({ at, which, isRight }) => ({
  isPossible: ({ otp }) => otp.texts.length > 0,
  operation({ email, otp: { texts } }) {
    const otp = isRight ? fromEnd(texts, which) : wrongCode(texts.at(-1));
    return {
      send: (world) => world.client(at).post('/auth/verify-otp', { email, otp }),
      judge(model, answer) {
        const isGood = model.awaitsCode && model.otp.isLive(otp);
        if (model.awaitsCode) model.otp.tried();
        if (!isGood) return expectRefusal(answer, 400, 'invalid_otp');
        expect(answer.status).toBe(200);
        model.otp.kill();
        model.isConfirmed = true;
        model.confirmedAt = model.clock.nowMs();
        model.record('email_verified');
      },
    };
  },
}));

const DEVICES = [FIREFOX, IPHONE];
const NETWORKS = ['2001:db8:1', '2001:db8:2'];

export const login = command('login', ({ at, which, other, isRight, isAll }) => ({
  operation({ email, username, passwords }) {
    const password = (isRight ? passwords.at(-1) : fromEnd(passwords, which)) ?? 'Wrong-pass1';
    const login = isAll ? email : username.toUpperCase();
    const device = DEVICES[other % 2] as string;
    const network = NETWORKS[other < 2 ? 0 : 1] as string;
    const judgeWith =
      (isUnannounced: boolean): Operation['judge'] =>
      (model, answer, _world, isBeside) => {
        // A password that is chosen again at this moment has another hash than the one that was compared.
        const isChosenAgain = isBeside && model.passwords.at(-1) === model.passwords.at(-2);
        if (isChosenAgain && answer.status === 401) return expectRefusal(answer, 401, 'invalid_credentials');
        const isKnown = isAll || username === model.username;
        const refusal = isKnown ? model.loginRefusal(password) : 'invalid_credentials';
        if (refusal) return expectRefusal(answer, refusal === 'invalid_credentials' ? 401 : 403, refusal);
        expect(answer.status).toBe(200);
        const { token, refresh_token, expires_in } = answer.body.data;
        expect(expires_in).toBe(model.expiresIn({ loggedInAt: model.clock.nowMs() }));
        const [, { sid }] = decodeToken(token as string);
        const tokens = { access: token as string, refresh: refresh_token as string };
        model.login(sid as string, tokens, `${device} ${network}`, isUnannounced);
      };
    return {
      send: (world) => world.logIn(at, network, device, { login, password }),
      judge: judgeWith(false),
      judgeOtherwise: judgeWith(true),
    };
  },
}));

export const forgetPassword = command('forget password', ({ at }) => ({
  isPossible: exists,
  operation: ({ email }) => ({
    send: (world) => world.client(at).post('/auth/forgot-password', { email }),
    async judge(model, { status }, world) {
      expect(status).toBe(200);
      if (!model.isActive || !model.reset.isWithinQuota()) return;
      await world.receive(model, 'password-reset');
    },
  }),
}));

export const resetPassword = command('reset password', ({ at, which, isRight }) => ({
  isPossible: ({ reset }) => reset.texts.length > 0,
  operation({ reset, passwords }) {
    const token = fromEnd(reset.texts, which);
    const password = isRight ? newPassword() : (passwords.at(-1) as string);
    const body = { token, password, password_confirmation: password };
    return {
      send: (world) => world.client(at).post('/auth/reset-password', body),
      judge(model, answer) {
        if (!model.isActive || !model.reset.isLive(token)) return expectRefusal(answer, 400, 'invalid_reset_token');
        if (model.isResetRequired && password === model.passwords.at(-1))
          return expectRefusal(answer, 422, 'validation_failed');
        expect(answer.status).toBe(200);
        model.reset.kill();
        model.recoveries += 1;
        model.changePassword(password);
        model.end('password_changed');
      },
    };
  },
}));
