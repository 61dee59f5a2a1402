import { All, Body, Controller, Get, Module, Post, Query, Version } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { ApiProperty } from '@nestjs/swagger';
import { Throttle } from '@nestjs/throttler';
import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsNotEmptyObject, IsObject, ValidateNested } from 'class-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACCESS, type Access, Protected, Public } from '../../src/common/access/index.js';
import { Operation } from '../../src/common/openapi/index.js';
import { IsNotBlank, IsPlainText } from '../../src/common/validation/index.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

@Controller('open')
class UndeclaredController {
  @Get()
  read(): string {
    return 'open';
  }

  @Public()
  @Get('declared')
  declared(): string {
    return 'open, and says so';
  }

  @Post(':id/close')
  close(): void {}
}

@Module({ controllers: [UndeclaredController] })
class UndeclaredModule {}

@Protected()
@Controller('closed')
class DeclaredController {
  @Get()
  @Operation({ summary: 'Look in', description: 'From outside.', message: 'Closed' })
  lookIn(): string {
    return 'closed';
  }

  @Public()
  @Get('bell')
  @Operation({ summary: 'Ring', description: 'From outside.', message: 'Rung' })
  ring(): string {
    return 'rung';
  }
}

@Module({ controllers: [DeclaredController] })
class DeclaredModule {}

const DESCRIPTION = { summary: 'Look in', description: 'From outside.', message: 'Seen' };

class Lock {
  @IsNotBlank()
  code: string;
}

class Chest {
  @ValidateNested()
  lock: Lock;

  @ValidateNested({ each: true })
  @IsObject()
  @IsArray()
  locks: Lock[];

  @IsPlainText({ each: true })
  labels: string[];
}

class Key {
  @ApiProperty({ example: 'iron' })
  @IsPlainText()
  metal: string;
}

class Ring {
  @ApiProperty()
  @ValidateNested()
  @IsObject()
  @Type(() => Key)
  key: Key;

  @ApiProperty()
  @ValidateNested()
  @IsNotEmptyObject()
  @Type(() => Key)
  spare: Key;

  @ApiProperty({ type: [Key] })
  @ValidateNested({ each: true })
  @IsObject({ each: true })
  @Type(() => Key)
  @IsArray()
  @ArrayMaxSize(5)
  others: Key[];
}

@Public()
@Controller('rings')
class RingController {
  @Post()
  @Operation(DESCRIPTION)
  fill(@Body() _ring: Ring): void {}
}

@Public()
@Controller('chests')
class LooseController {
  @Post()
  @Operation(DESCRIPTION)
  build(@Body() _chest: Chest): void {}
}

@Public()
@Controller('locks')
class SecretiveController {
  @Get()
  @Operation(DESCRIPTION)
  tryLock(@Query() _lock: Lock): void {}
}

@Public()
@Controller()
class ManifoldController {
  @All('keys')
  @Operation(DESCRIPTION)
  turn(): void {}

  @Get(['hinges', 'handles'])
  @Operation(DESCRIPTION)
  move(): void {}
}

class NewDoor {
  name: string;
}

@Public()
@Controller('doors')
class UnreadableController {
  @Post()
  add(@Body() _door: NewDoor): void {}
}

@Controller('windows')
class ThrottledController {
  @Public()
  @Throttle({ default: { limit: 2, ttl: 60_000 } })
  @Get()
  read(): void {}
}

@Controller('benches')
class VersionedController {
  @Public()
  @Version('2')
  @Get()
  read(): void {}
}

@Controller({ path: 'stools', version: '2' })
class VersionedAsAWholeController {
  @Public()
  @Get()
  read(): void {}
}

@Public()
@Controller('tables')
class UndescribedController {
  @Get()
  listTables(): void {}
}

@Public()
@Controller('chairs')
class NamesakeController {
  @Get()
  @Operation({ summary: 'Read a chair', description: 'It is no account.', message: 'Chair' })
  getProfile(): void {}
}

/** Who may call what of the service's own routes. A change of this list is a change of the contract. */
const ROUTES: Record<string, string> = {
  'RegistrationController.register': 'none, limit auth',
  'EmailVerificationController.verifyOtp': 'none, limit auth',
  'EmailVerificationController.resendOtp': 'none, limit auth',
  'LoginController.login': 'none, limit auth',
  'TokenRefreshController.refreshToken': 'none, limit auth',
  'LogoutController.logout': 'bearer, limit auth',
  'PasswordResetController.forgotPassword': 'none, limit auth',
  'PasswordResetController.resetPassword': 'none, limit auth',
  'ItsNotMeController.itsNotMe': 'bearer, limit auth',
  'LoginReportController.reportLogin': 'none, limit auth',
  'LoginReportPageController.askWhetherToReport': 'none, limit general',
  'LoginReportPageController.reportLogin': 'none, limit auth',
  'ProfileController.getProfile': 'key+bearer, limit general',
  'ProfileController.changeProfile': 'key+bearer, limit general',
  'PasswordChangeController.changePassword': 'key+bearer, limit general',
  'LoginHistoryController.listLoginHistory': 'key+bearer, limit general',
  'LoginHistoryController.getLoginStatistics': 'key+bearer, limit general',
  'LoginHistoryController.endSession': 'key+bearer, limit general',
  'LoginHistoryController.listUserLoginHistory': 'key+bearer+admin, limit general',
  'UsersAdministrationController.listUsers': 'key+bearer+admin, limit general',
  'UsersAdministrationController.getUser': 'key+bearer+admin, limit general',
  'UsersAdministrationController.changeUser': 'key+bearer+admin, limit general',
  'UsersAdministrationController.deleteUser': 'key+bearer+admin, limit general',
  'UsersAdministrationController.restoreUser': 'key+bearer+admin, limit general',
  'SecurityEventsController.listSecurityEvents': 'key+bearer+admin, limit general',
  'HealthController.getLiveness': 'none, limit none',
  'HealthController.getReadiness': 'none, limit none',
  'MetricsController.getMetrics': 'none, limit none',
  'ListingController.listKit': 'none, limit none',
  'InboxController.getInbox': 'none, limit none',
  'InboxController.getNextMail': 'none, limit none',
  'ClockController.getClock': 'none, limit none',
  'ClockController.moveClock': 'none, limit none',
  'ClockController.resetClock': 'none, limit none',
  'FaultsController.getFaults': 'none, limit none',
  'FaultsController.setFaults': 'none, limit none',
  'FaultsController.clearFaults': 'none, limit none',
  'CleanSlateController.deleteState': 'none, limit none',
};

describe('Routes', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
  });
  afterAll(() => test.close());

  it('declare who may call them', () => {
    const scanner = new MetadataScanner();
    const found: Record<string, string> = {};
    for (const { instance, metatype } of test.app.get(DiscoveryService, { strict: false }).getControllers()) {
      const prototype = Object.getPrototypeOf(instance) as Record<string, () => unknown>;
      for (const name of scanner.getAllMethodNames(prototype)) {
        const handler = prototype[name] as () => unknown;
        if (!Reflect.hasMetadata(PATH_METADATA, handler)) continue;
        const access = (Reflect.getMetadata(ACCESS, handler) ?? Reflect.getMetadata(ACCESS, metatype as object)) as
          Access | undefined;
        const credentials = [access?.apiKey && 'key', access?.bearer && 'bearer', ...(access?.roles ?? [])]
          .filter(Boolean)
          .join('+');
        found[`${metatype?.name}.${name}`] = access ? `${credentials || 'none'}, limit ${access.limit}` : 'undeclared';
      }
    }
    expect(found).toMatchObject(ROUTES);
    expect(Object.entries(found).filter(([, access]) => access === 'undeclared')).toEqual([]);
  });

  it('that do not are refused when the service starts, with a word on what to do', async () => {
    const start = startTestApp({ extensions: [UndeclaredModule] });
    await expect(start).rejects.toThrowErrorMatchingInlineSnapshot(`
      [Error: Routes that do not say who may call them:
        GET /open (UndeclaredController.read)
        POST /open/:id/close (UndeclaredController.close)
      Put one of these on each of them, from src/common/access:
        @Protected()      API key and bearer token: the ordinary route of an application
        @AdminOnly()      the same, and the role of administrator
        @Authenticated()  a bearer token alone
        @ApiKeyOnly()     an API key alone: for callers that are services
        @Public()         nothing: anybody may call it
      It sets the guards, the limit, and what the OpenAPI document says of both.]
    `);
  });

  it.each([
    [
      UnreadableController,
      /^Routes whose parameters no request can meet:\n {2}POST \/doors \(UnreadableController.add\)\n.+class-validator/,
    ],
    [
      ThrottledController,
      /^Routes with a decorator of @nestjs\/throttler, .+:\n {2}GET \/windows \(ThrottledController.read\)\n.+limit/,
    ],
    [
      [VersionedController, VersionedAsAWholeController],
      /^Routes with a version, .+:\n {2}GET \/benches .+\n {2}GET \/stools .+\n.+@Controller\('api\/v2/,
    ],
    [
      UndescribedController,
      /^Routes that do not say what they answer:\n {2}GET \/tables \(UndescribedController.listTables\)\n.+@Operation/,
    ],
    [
      LooseController,
      /^Routes that would take a list for an object, .+:\n {2}POST \/chests .+\n.+@IsObject.+ on Chest\.lock, Chest\.locks, Chest\.labels\.$/,
    ],
    [
      SecretiveController,
      /^Routes that take what the OpenAPI document does not tell of:\n {2}GET \/locks .+\n.+ApiProperty.+ on Lock\.code\.$/,
    ],
    [
      ManifoldController,
      /^Routes whose handlers serve several .+:\n {2}ALL \/keys .+\n {2}GET \/hinges .+\n.+a handler of its own/,
    ],
    [
      NamesakeController,
      /^Routes whose handlers share a name:\n {2}GET .+\(ProfileController.getProfile\)\n {2}GET \/chairs .+\n.+operationId/,
    ],
  ])('with what nobody would heed are refused as well', async (controllers, message) => {
    const extension = { module: class {}, controllers: [controllers].flat() };
    await expect(startTestApp({ extensions: [extension] })).rejects.toThrow(message);
  });

  it('take an object, or a list of objects, for what it is', async () => {
    const key = { metal: 'iron' };
    const ring = { key, spare: key, others: [key] };
    const test = await startTestApp({ extensions: [{ module: class {}, controllers: [RingController] }] });
    const send = async (change: object) => (await test.client().post('/rings', { ...ring, ...change })).status;
    expect([await send({}), await send({ others: [] })]).toEqual([200, 200]);
    for (const wrong of [
      { key: [] },
      { key: [key] },
      { spare: [] },
      { others: key },
      { others: { key } },
      { others: [[]] },
      { others: [[key]] },
    ]) {
      expect(await send(wrong), JSON.stringify(wrong)).toBe(422);
    }
    await test.close();
  });

  it('may say so for all of a controller, and otherwise for one of it', async () => {
    const extended = await startTestApp({ extensions: [DeclaredModule] });
    expect((await extended.client().get('/closed')).body.code).toBe('invalid_api_key');
    expect((await extended.client().get('/closed/bell')).status).toBe(200);
    await extended.close();
  });

  it('that say two things are refused when they are loaded', () => {
    const declareTwice = () => {
      class ContradictoryController {
        @Public()
        @Protected()
        read(): void {}
      }
      return ContradictoryController;
    };
    expect(declareTwice).toThrow('ContradictoryController.read says twice who may call it');
  });
});
