var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
var __metadata = (this && this.__metadata) || function (k, v) {
    if (typeof Reflect === "object" && typeof Reflect.metadata === "function") return Reflect.metadata(k, v);
};
import { Injectable, Module } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { getConnectionToken, MongooseModule } from '@nestjs/mongoose';
import { Config } from '../config/index.js';
import { DatabaseServer, mongooseOptions } from './database-connection.js';
import { SchemaSetup } from './schema-setup.js';
import { Transactions } from './transactions.js';
let DatabaseShutdown = class DatabaseShutdown {
    server;
    modules;
    constructor(server, modules) {
        this.server = server;
        this.modules = modules;
    }
    /** Looked up late and not injected: the connection is made by a module that needs this one. */
    async onApplicationShutdown() {
        await this.server.close(this.modules.get(getConnectionToken(), { strict: false }));
    }
};
DatabaseShutdown = __decorate([
    Injectable(),
    __metadata("design:paramtypes", [DatabaseServer,
        ModuleRef])
], DatabaseShutdown);
/** In a module of its own, below Mongoose's, which asks it for the address. */
let DatabaseServerModule = class DatabaseServerModule {
};
DatabaseServerModule = __decorate([
    Module({
        providers: [
            { provide: DatabaseServer, inject: [Config], useFactory: (config) => DatabaseServer.open(config) },
            DatabaseShutdown,
        ],
        exports: [DatabaseServer],
    })
], DatabaseServerModule);
/**
 * Owns the Mongoose connection, to `MONGODB_URI` or to the embedded store which it starts. Exports {@link Transactions}
 * and {@link DatabaseServer}; features register their own models with `MongooseModule.forFeature`.
 */
let DatabaseModule = class DatabaseModule {
};
DatabaseModule = __decorate([
    Module({
        imports: [
            MongooseModule.forRootAsync({
                imports: [DatabaseServerModule],
                inject: [DatabaseServer],
                useFactory: mongooseOptions,
            }),
            DatabaseServerModule,
        ],
        providers: [Transactions, SchemaSetup],
        exports: [Transactions, DatabaseServerModule],
    })
], DatabaseModule);
export { DatabaseModule };
//# sourceMappingURL=database.module.js.map