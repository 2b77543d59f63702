// A plugin of the Kotlin compiler that lists the definition of each call.
package definitions

import com.intellij.lang.LighterASTNode
import com.intellij.openapi.util.Ref
import org.jetbrains.kotlin.KtFakeSourceElementKind
import org.jetbrains.kotlin.KtLightSourceElement
import org.jetbrains.kotlin.KtPsiSourceElement
import org.jetbrains.kotlin.KtSourceElement
import org.jetbrains.kotlin.compiler.plugin.CompilerPluginRegistrar
import org.jetbrains.kotlin.compiler.plugin.ExperimentalCompilerApi
import org.jetbrains.kotlin.config.CompilerConfiguration
import org.jetbrains.kotlin.diagnostics.DiagnosticReporter
import org.jetbrains.kotlin.fir.FirSession
import org.jetbrains.kotlin.fir.analysis.checkers.MppCheckerKind
import org.jetbrains.kotlin.fir.analysis.checkers.context.CheckerContext
import org.jetbrains.kotlin.fir.analysis.checkers.expression.ExpressionCheckers
import org.jetbrains.kotlin.fir.analysis.checkers.expression.FirCallChecker
import org.jetbrains.kotlin.fir.analysis.extensions.FirAdditionalCheckersExtension
import org.jetbrains.kotlin.fir.declarations.FirFile
import org.jetbrains.kotlin.fir.delegatedWrapperData
import org.jetbrains.kotlin.fir.expressions.FirCall
import org.jetbrains.kotlin.fir.expressions.FirDelegatedConstructorCall
import org.jetbrains.kotlin.fir.expressions.FirImplicitInvokeCall
import org.jetbrains.kotlin.fir.expressions.FirQualifiedAccessExpression
import org.jetbrains.kotlin.fir.expressions.FirResolvable
import org.jetbrains.kotlin.fir.extensions.FirExtensionRegistrar
import org.jetbrains.kotlin.fir.extensions.FirExtensionRegistrarAdapter
import org.jetbrains.kotlin.fir.moduleData
import org.jetbrains.kotlin.fir.originalOrSelf
import org.jetbrains.kotlin.fir.references.FirReference
import org.jetbrains.kotlin.fir.references.FirResolvedNamedReference
import org.jetbrains.kotlin.fir.references.toResolvedCallableSymbol
import org.jetbrains.kotlin.fir.resolve.providers.firProvider
import org.jetbrains.kotlin.fir.symbols.impl.FirCallableSymbol
import org.jetbrains.kotlin.fir.symbols.impl.FirConstructorSymbol
import org.jetbrains.kotlin.fir.containingClassLookupTag
import org.jetbrains.kotlin.fir.declarations.getSingleMatchedExpectForActualOrNull
import org.jetbrains.kotlin.fir.resolve.toSymbol
import java.io.File

private val out = java.io.PrintWriter(java.io.FileOutputStream(System.getenv("DEFINITIONS_OUT"), true), true)
private val root = System.getenv("DEFINITIONS_ROOT") + "/"

@OptIn(ExperimentalCompilerApi::class)
class Registrar : CompilerPluginRegistrar() {
    override val pluginId: String = "definitions"
    override val supportsK2: Boolean = true
    override fun ExtensionStorage.registerExtensions(configuration: CompilerConfiguration) {
        FirExtensionRegistrarAdapter.registerExtension(object : FirExtensionRegistrar() {
            override fun ExtensionRegistrarContext.configurePlugin() { +::Checkers }
        })
    }
}

class Checkers(session: FirSession) : FirAdditionalCheckersExtension(session) {
    override val expressionCheckers = object : ExpressionCheckers() {
        override val callCheckers = setOf(Calls)
    }
}

object Calls : FirCallChecker(MppCheckerKind.Common) {
    private val texts = HashMap<String, String>()
    private fun text(path: String) = texts.getOrPut(path) { File(path).readText() }

    context(context: CheckerContext, reporter: DiagnosticReporter)
    override fun check(expression: FirCall) {
        val path = context.containingFilePath ?: return
        if (expression is FirImplicitInvokeCall) {
            val value = expression.explicitReceiver as? FirQualifiedAccessExpression ?: return
            list(path, value.calleeReference.source?.startOffset, value.calleeReference)
            list(path, value.calleeReference.source?.startOffset, expression.calleeReference)
            return
        }
        val reference = (expression as? FirResolvable)?.calleeReference ?: return
        var start = reference.source?.startOffset
        if (expression is FirDelegatedConstructorCall) {
            val type = expression.constructedTypeRef.source ?: expression.source ?: return
            val written = text(path).substring(type.startOffset, type.endOffset)
            val head = written.takeWhile { it.isLetterOrDigit() || it == '_' || it == '.' }
            start = type.startOffset + head.lastIndexOf('.') + 1
        }
        list(path, start, reference)
    }

    private fun list(path: String, start: Int?, reference: FirReference) {
        if (start == null) return
        val symbol = reference.toResolvedCallableSymbol(discardErrorReference = true) ?: return
        val text = text(path)
        val byte = text.substring(0, start).toByteArray().size
        val expected = symbol.getSingleMatchedExpectForActualOrNull() as? FirCallableSymbol<*>
        // Without the place of an `expect` declaration, the answer would be only that of its alias.
        val places = listOfNotNull(symbol, expected).map { place(it, path) ?: return }
        for ((file, line) in places) {
            out.println("${path.removePrefix(root)}\t$byte\t$file\t$line")
        }
    }

    private fun place(symbol: FirCallableSymbol<*>, from: String): Pair<String, Int>? {
        val own = symbol.originalOrSelf()
        // A member that the compiler makes for `by` means the one that it delegates to.
        val original = own.delegatedWrapperData?.wrapped?.symbol?.originalOrSelf() ?: own
        val provider = original.moduleData.session.firProvider
        // A local function, or a member of a local class, is in the file of the call.
        val type = original.containingClassLookupTag()?.toSymbol(original.moduleData.session)
        val path = provider.getFirCallableContainerFile(original)?.sourceFile?.path
            ?: type?.let { provider.getFirClassifierContainerFileIfAny(it) }?.sourceFile?.path
            ?: (original.source as? KtPsiSourceElement)?.psi?.containingFile?.virtualFile?.path
            ?: from.takeIf { original.source is KtLightSourceElement }
        val of = original as? FirConstructorSymbol
        val isGenerated = original.source?.kind is KtFakeSourceElementKind.DataClassGeneratedMembers
        val owner = type.takeIf { of?.isPrimary == true || isGenerated }
        val source = owner?.source ?: original.source
        if (path == null || source == null) return Pair("/outside/${original.name}", 0)
        val name = name(source) ?: source.startOffset
        // The source is in another file whose path the compiler does not return.
        val names = listOfNotNull(original.name.asString(), "constructor", type?.classId?.shortClassName?.asString())
        val isNamed = names.any { text(path).startsWith(it, name) || text(path).startsWith("`$it", name) }
        if (name > text(path).length || !isNamed && (of != null || path == from)) return null
        val line = text(path).substring(0, name).count { it == '\n' }
        return Pair(path.removePrefix(root), line)
    }

    /** Returns the offset of the declared name, or of the keyword `constructor`. */
    private fun name(source: KtSourceElement): Int? {
        val children = Ref<Array<LighterASTNode?>>()
        source.treeStructure.getChildren(source.lighterASTNode, children)
        val shift = source.startOffset - source.lighterASTNode.startOffset
        val named = children.get().filterNotNull().firstOrNull {
            it.tokenType.toString() == "IDENTIFIER" || it.tokenType.toString() == "constructor"
        }
        return named?.let { it.startOffset + shift }
    }
}
