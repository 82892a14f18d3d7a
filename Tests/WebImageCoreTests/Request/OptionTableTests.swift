import Foundation
import Testing

/// Every option and every context key is shown by a test, or stands here with the part that will show it.
struct OptionTableTests {
    private enum Proof {
        /// Functions of tests that fail when it is ignored.
        case tests([String])
        /// The part of the project that is to show it.
        case owed(by: String)
    }

    private static let options: [String: Proof] = [
        "retryFailed": .tests([
            "aRetryThatSucceedsForgetsTheFailure", "whatIsNoPictureIsStoredNowhereAndRememberedAsFailed",
        ]),
        "lowPriority": .tests(["priorityOptionsReachTheLoader"]),
        "progressiveLoad": .tests(["previewsComeFirstAndAreNeverStored"]),
        "refreshCached": .tests(["aChangedImageComesSecondAndIsStored"]),
        "continueInBackground": .tests(["optionsForTheLoaderReachIt"]),
        "handleCookies": .tests(["optionsForTheLoaderReachIt", "cookiesSetApartAndScope"]),
        "allowInvalidSSLCertificates": .tests([
            "optionsForTheLoaderReachIt", "uncheckedCertificatesHaveAScopeOfTheirOwn",
        ]),
        "highPriority": .tests(["priorityOptionsReachTheLoader"]),
        "delayPlaceholder": .tests(["delayedPlaceholderIsShownOnlyAfterAFailure"]),
        "transformAnimatedImage": .tests(["animatedImagesAreTransformedOnRequestAlone"]),
        "avoidAutoSetImage": .tests(["imageOfACallerWhoShowsItItselfStaysOffTheView"]),
        "scaleDownLargeImages": .tests(["scaleDownLargeImagesBoundsTheDecodeAtTheDefault"]),
        "queryMemoryData": .tests(["queryMemoryDataAddsTheBytesToAMemoryHit"]),
        "queryMemoryDataSync": .tests(["queryMemoryDataSyncAnswersBeforeReturning"]),
        "queryDiskDataSync": .tests(["queryDiskDataSyncAnswersBeforeReturningAlsoAtAnotherSize"]),
        "fromCacheOnly": .tests(["fromCacheOnlyNeverAsksTheLoader"]),
        "fromLoaderOnly": .tests(["fromLoaderOnlySkipsBothLayersAndStillStores"]),
        "forceTransition": .tests(["forcedTransitionRunsForEveryFinishedPictureAndNoPartialOne"]),
        "avoidDecodeImage": .tests(["forcedDecodingIsNeitherNeededNorAvoided"]),
        "decodeFirstFrameOnly": .tests(["decodeFirstFrameOnlyReachesTheCoder"]),
        "preloadAllFrames": .tests(["theAnimatedClassComesFirstAndIsPreloaded"]),
        "matchAnimatedImageClass": .tests(["aClassThatMustMatchFailsWhereItCannot"]),
        "waitStoreCache": .tests(["waitStoreCacheCompletesAfterTheStoresAndPlainLoadsDoNotWait"]),
        "transformVectorImage": .tests(["vectorImagesAreTransformedOnRequestAlone"]),
        "avoidAutoCancelImage": .tests(["loadLeftRunningShowsItsImageOnlyUntilANewerOneDid"]),
        "waitTransition": .owed(by: "Views"),
    ]

    private static let keys: [String: Proof] = [
        "setImageOperationKey": .tests(["keysLoadIndependently"]),
        "customManager": .tests(["loadsOfAViewThatIsGoneCompleteOnce"]),
        "callbackQueue": .tests(["completionsRunOnTheCallbackQueue"]),
        "imageCache": .tests(["theContextsCacheAndLoaderAreUsed"]),
        "imageLoader": .tests(["theContextsCacheAndLoaderAreUsed"]),
        "imageCoder": .tests(["contextsCoderWritesAndReads", "oneCodersFailureRemovesNoGoodBytes"]),
        "imageTransformer": .tests(["nullTurnsTheManagersTransformerOff"]),
        "imageForceDecodePolicy": .tests(["forcedDecodingIsNeitherNeededNorAvoided"]),
        "imageDecodeOptions": .tests(["decodeOptionsPassAndTheirOwnKeysWin"]),
        "imageScaleFactor": .tests(["scaleComesFromTheContextElseFromTheKey"]),
        "imagePreserveAspectRatio": .tests(["aThumbnailHasItsBoxAndItsKey"]),
        "imageThumbnailPixelSize": .tests(["aThumbnailHasItsBoxAndItsKey"]),
        "imageTypeIdentifierHint": .tests(["theHintIsTheKeysExtensionUnlessThereIsToBeNone"]),
        "imageScaleDownLimitBytes": .tests(["scaleDownLargeImagesBoundsTheDecodeAndIsNotServedToOthers"]),
        "imageDecodeToHDR": .tests(["highDynamicRangeIsNotServedForStandard"]),
        "imageEncodeOptions": .tests(["encodeOptionsReachTheCache", "theManagersTransformerWorks"]),
        "queryCacheType": .tests(["queryTypesNameTheLayersAsked"]),
        "storeCacheType": .tests(["storeTypesNameTheLayersFilled"]),
        "originalQueryCacheType": .tests(["originalsAreQueriedInMemoryOnRequest"]),
        "originalStoreCacheType": .tests(["storeTypesNameTheLayersFilled"]),
        "originalImageCache": .tests(["originalsHaveACacheOfTheirOwn"]),
        "animatedImageClass": .tests(["theAnimatedClassComesFirstAndIsPreloaded"]),
        "downloadRequestModifier": .tests(["twoUsersByRequestModifierShareNothingEither"]),
        "downloadResponseModifier": .tests(["responseModifierSetsApart"]),
        "downloadDecryptor": .tests(["decryptorSetsApart"]),
        "alternativeSources": .tests(["nextSourceServesWhenTheFirstFails"]),
        "lowDataSource": .tests(["standInServesOnlyWhereDataIsDearAndIsNotStored"]),
        "cacheKeyFilter": .tests(["theKeyFilterNamesTheKey"]),
        "cacheSerializer": .tests(["theSerializerChoosesTheBytes"]),
        "cacheScope": .tests(["twoScopesOfOneURLShareNothing"]),
        "loaderCachedImage": .tests(["aConfirmedImageKeepsItsBytesAndRenewsItsMetadata"]),
        "decodingLimits": .tests(["aLimitOfTheContextFires"]),
    ]

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The names a source file declares as `public static let`.
    private func declared(in file: String) throws -> Set<String> {
        let text = try String(contentsOf: Self.root.appendingPathComponent("Sources/" + file), encoding: .utf8)
        return Set(text.matches(of: /public static let (\w+)/).map { String($0.1) })
    }

    @Test func everyOptionAndKeyHasItsPlace() throws {
        #expect(try declared(in: "WebImageCore/Request/WebImageOptions.swift") == Set(Self.options.keys))
        #expect(try declared(in: "WebImageCore/Request/WebImageContextOption.swift") == Set(Self.keys.keys))
    }

    @Test func everyTestNamedIsThere() throws {
        let tests = Self.root.appendingPathComponent("Tests")
        let files = try #require(FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil))
        var functions: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            functions.formUnion(text.matches(of: /func (\w+)/).map { String($0.1) })
        }
        for (name, proof) in Self.options.merging(Self.keys, uniquingKeysWith: { $1 }) {
            switch proof {
            case .tests(let names): for test in names { #expect(functions.contains(test), "\(name): \(test)") }
            case .owed(let part): #expect(part == "Views", "\(name)")
            }
        }
    }
}
